/**
 * BLAKE2b without a key, as in RFC 7693: browsers have SHA-2 alone, and not even that over plain http.
 *
 * Numbers hold no 64 bits, so that two halves stand for a word, the lower one first. Pure.
 */

const BLOCK = 128;
const ROUNDS = 12;
const START = Uint32Array.of(
  0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a,
  0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19,
);
/** Which words of the block a round mixes in, one after the other. */
const ORDERS = [
  '0123456789abcdef', 'ea489fd61c02b753', 'b8c052fdae367194', '7931dcbe265a40f8', '905724afe1bc683d',
  '2c6a0b834d75fe19', 'c51fed4a0763928b', 'db7ec13950f4862a', '6fe9b308c2d714a5', 'a2847615fb9e3cd0',
].map(places);
/** The four columns of the square of sixteen words, then its diagonals. */
const FOURS = ['048c', '159d', '26ae', '37bf', '05af', '16bc', '278d', '349e'].map(places);

/**
 * @param {Uint8Array} bytes
 * @param {number} size  of the output in bytes, 1 to 64
 * @returns {Uint8Array}
 */
export function blake2b(bytes, size) {
  const state = START.slice();
  state[0] ^= 0x01010000 ^ size;
  for (let begun = 0; begun === 0 || begun < bytes.length; begun += BLOCK) {
    const block = new Uint8Array(BLOCK);
    block.set(bytes.subarray(begun, begun + BLOCK));
    mixIn(state, block, Math.min(begun + BLOCK, bytes.length), begun + BLOCK >= bytes.length);
  }
  const output = new DataView(new ArrayBuffer(BLOCK / 2));
  state.forEach((half, at) => output.setUint32(4 * at, half, true));
  return new Uint8Array(output.buffer, 0, size);
}

/**
 * @param {Uint32Array} state
 * @param {Uint8Array} block
 * @param {number} count  of bytes up to its end
 * @param {boolean} isLast
 */
function mixIn(state, block, count, isLast) {
  const read = new DataView(block.buffer);
  const words = Uint32Array.from({ length: 32 }, (_, at) => read.getUint32(4 * at, true));
  const square = new Uint32Array(32);
  square.set(state);
  square.set(START, 16);
  square[24] ^= count;
  if (isLast) {
    square[28] ^= 0xffffffff;
    square[29] ^= 0xffffffff;
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = ORDERS[round % ORDERS.length];
    FOURS.forEach(([a, b, c, d], at) => {
      add(square, a, square, b);
      add(square, a, words, order[2 * at]);
      turn(square, d, a, 32);
      add(square, c, square, d);
      turn(square, b, c, 24);
      add(square, a, square, b);
      add(square, a, words, order[2 * at + 1]);
      turn(square, d, a, 16);
      add(square, c, square, d);
      turn(square, b, c, 63);
    });
  }
  for (let at = 0; at < state.length; at += 1) state[at] ^= square[at] ^ square[at + 16];
}

/**
 * Adds another word to one.
 *
 * @param {Uint32Array} square
 * @param {number} to
 * @param {Uint32Array} words
 * @param {number} from
 */
function add(square, to, words, from) {
  const low = square[to] + words[from];
  square[to + 1] += words[from + 1] + (low > 0xffffffff ? 1 : 0);
  square[to] = low;
}

/**
 * Takes the difference of a word to another, turned to the right by so many bits.
 *
 * @param {Uint32Array} square
 * @param {number} at
 * @param {number} other
 * @param {32 | 24 | 16 | 63} bits
 */
function turn(square, at, other, bits) {
  let low = square[at] ^ square[other];
  let high = square[at + 1] ^ square[other + 1];
  if (bits >= 32) [low, high] = [high, low];
  const rest = bits % 32;
  square[at] = rest ? (low >>> rest) | (high << (32 - rest)) : low;
  square[at + 1] = rest ? (high >>> rest) | (low << (32 - rest)) : high;
}

/**
 * @param {string} digits  hexadecimal, each the number of a word
 * @returns {number[]} where the words begin
 */
function places(digits) {
  return [...digits].map((digit) => 2 * Number.parseInt(digit, 16));
}
