import { sha256 } from '../../../events/codec.js'
import { fromBase64 } from '../../../events/log/evidence/base64.js'
import type { VerifierPlatform } from '../../../clients/evidence/platform.js'
import { NodeLinesDigest } from '../export-lines.js'

/** The platform of the verification in Node. */
export const nodePlatform: VerifierPlatform = {
  sha256,
  fromBase64,
  toBase64: bytes => Buffer.from(bytes).toString('base64'),
  linesDigest: () => new NodeLinesDigest()
}
