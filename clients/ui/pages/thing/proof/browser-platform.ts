// Hashes and signatures in a browser. WebCrypto is not there on pages that come over http from another machine: these work everywhere.
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { Platform } from '../../../../../events/log/evidence/platform.js'
import { fromBase64 } from '../../../things/base64.js'

export const platform: Platform = { sha256, fromBase64 }

/** Whether a key has signed a text. */
export const isSigned = (text: string, signature: Uint8Array, key: Uint8Array): boolean => {
  try {
    return ed25519.verify(signature, new TextEncoder().encode(text), key, { zip215: false })
  } catch {
    // It is no signature at all.
    return false
  }
}
