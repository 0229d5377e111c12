/**
 * Mouse, pen and finger alike, by Pointer Events alone: a tap, or cards that are carried somewhere.
 *
 * A press becomes a drag after a few pixels; cards stay under the finger where they were taken. A
 * drag that the system takes away (`pointercancel`) puts everything back. A press that stays where it
 * is for a while, and the other mouse button, ask for something else.
 */

/** @typedef {{x: number, y: number}} Point */

/**
 * @typedef {object} Wanted
 * @property {(point: Point) => void} tap
 * @property {(point: Point) => boolean} hold  whether a long press or the other button means something there
 * @property {(point: Point) => boolean} take  whether there is something to carry at the point
 * @property {(by: Point) => void} carry
 * @property {(by: Point) => void} drop
 * @property {() => void} cancel
 */

const SLOP = 5;
const LONG_MS = 500;

/**
 * @param {HTMLElement} node
 * @param {Wanted} wanted
 */
export function followPointer(node, wanted) {
  /** @type {{id: number, start: Point, at: Point, state: 'pressed' | 'carrying' | 'nothing'} | null} */
  let held = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let long;

  const point = (/** @type {MouseEvent} */ event) => {
    const box = node.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const by = () => (held === null ? { x: 0, y: 0 } : { x: held.at.x - held.start.x, y: held.at.y - held.start.y });
  const cancel = () => {
    const wasCarrying = held?.state === 'carrying';
    held = null;
    clearTimeout(long);
    if (wasCarrying) wanted.cancel();
  };

  node.addEventListener('pointerdown', (event) => {
    if (held !== null || !event.isPrimary || event.button !== 0) return;
    held = { id: event.pointerId, start: point(event), at: point(event), state: 'pressed' };
    node.setPointerCapture(event.pointerId);
    clearTimeout(long);
    long = setTimeout(() => {
      if (held?.state === 'pressed' && wanted.hold(held.start)) held.state = 'nothing';
    }, LONG_MS);
  });
  node.addEventListener('pointermove', (event) => {
    if (held === null || event.pointerId !== held.id) return;
    held.at = point(event);
    const { x, y } = by();
    if (held.state === 'pressed' && Math.hypot(x, y) > SLOP) {
      held.state = wanted.take(held.start) ? 'carrying' : 'nothing';
    }
    if (held.state === 'carrying') wanted.carry({ x, y });
  });
  node.addEventListener('pointerup', (event) => {
    if (held === null || event.pointerId !== held.id) return;
    held.at = point(event);
    const { state, start } = held;
    const moved = by();
    held = null;
    clearTimeout(long);
    if (state === 'pressed') wanted.tap(start);
    else if (state === 'carrying') wanted.drop(moved);
  });
  node.addEventListener('pointercancel', cancel);
  node.addEventListener('lostpointercapture', cancel);
  node.addEventListener('contextmenu', (event) => {
    // A long press is no menu; a key that asks for one (no button) gets it.
    if (held !== null || (event.button === 2 && wanted.hold(point(event)))) event.preventDefault();
  });
}
