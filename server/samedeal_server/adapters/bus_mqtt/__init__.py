"""The bus over an MQTT broker. Nothing else knows aiomqtt or paho."""

from __future__ import annotations

from samedeal_server.adapters.bus_mqtt.bus import MqttBus, opened

__all__ = ["MqttBus", "opened"]
