// FNV-1a over the parts of an identity, 32 bits. Collisions are rare.

/** The hash of no part. */
export const OFFSET = 0x811c9dc5

/** Continues a hash with a part; signed. */
export function mix(hash: number, text: string): number {
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  // A separator no code unit equals, so that moving a character from one part to the next changes the hash.
  return Math.imul(hash ^ 0x10000, 0x01000193)
}
