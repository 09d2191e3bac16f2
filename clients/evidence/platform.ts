// The functions that the verification of bundles and reports needs from Node or a browser.
import { joined, type Platform } from '../../events/log/evidence/platform.js'
import { ProofFailed } from '../../events/log/evidence/proofs.js'

export interface LinesDigest {
  add(text: string): void
  /** Returns the SHA-256 of the lines, each with a line feed, in hex. */
  end(): string
}

export interface VerifierPlatform extends Platform {
  readonly toBase64: (bytes: Uint8Array) => string
  readonly linesDigest: () => LinesDigest
}

/** Reads lines from the beginning, each time that it is called. */
export type Rereadable = () => AsyncIterable<string>

const NODE = Uint8Array.of(0x01)

/** Returns the hash of an inner node of the tree (RFC 9162 §2.1.1). */
export const nodeHashBy =
  ({ sha256 }: Platform) =>
  (left: Uint8Array, right: Uint8Array): Uint8Array =>
    sha256(joined(NODE, left, right))

/** @throws ProofFailed for a text that is no SHA-256 hash in Base64 */
export const hashesOf = ({ fromBase64 }: Platform, texts: readonly string[]): readonly Uint8Array[] =>
  texts.map(text => {
    const hash = fromBase64(text)
    if (hash?.length !== 32) throw new ProofFailed(`${JSON.stringify(text)} is no SHA-256 hash in Base64`)
    return hash
  })
