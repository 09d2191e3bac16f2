// Verifies an audit report without a server, by the code of `annals audit verify`.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { checkBundle } from '../../../evidence/check-bundle.js'
import { findingsOf, type Findings } from '../../../evidence/findings.js'
import type { LinesDigest, VerifierPlatform } from '../../../evidence/platform.js'
import { checkReportLines, dataOf, reportFindings } from '../../../evidence/report-lines.js'
import { base64Of } from '../../resources/base64.js'
import { idOf, openCheckpoint, platform, Unproved, type Checkpoint } from '../resource/proof/evidence.js'

const linesDigest = (): LinesDigest => {
  const hash = sha256.create()
  const encoder = new TextEncoder()
  return {
    add: text => void hash.update(encoder.encode(`${text}\n`)),
    end: () => bytesToHex(hash.digest())
  }
}

const verifier: VerifierPlatform = { ...platform, toBase64: base64Of, linesDigest }

/** Limit of characters in a line, which is a commit with all its texts. */
const MAX_LINE = 256 * 1024 * 1024

/** Yields the lines of a file. @throws Unproved for a line that no report has */
async function* linesOf(file: Blob, signal: AbortSignal): AsyncGenerator<string> {
  const reader = file
    .stream()
    .pipeThrough(new TextDecoderStream('utf-8', { ignoreBOM: true }))
    .getReader()
  let rest = ''
  for (;;) {
    signal.throwIfAborted()
    const { done, value } = await reader.read()
    if (done) break
    let at = 0
    for (let end = value.indexOf('\n'); end >= 0; end = value.indexOf('\n', at)) {
      yield rest + value.slice(at, end)
      rest = ''
      at = end + 1
    }
    rest += value.slice(at)
    if (rest.length > MAX_LINE) throw new Unproved('it is no audit report: a line is too long')
  }
  if (rest !== '') yield rest
}

/** @param vkey public key of the log @throws Unproved MalformedNote */
export const verifyReport = async (file: Blob, vkey: string, signal: AbortSignal): Promise<Findings> => {
  const report = (): AsyncIterable<string> => linesOf(file, signal)
  let signers = ''
  const opened = (note: string): Checkpoint['head'] => {
    const { head, key } = openCheckpoint(note, vkey)
    signers = `signed by ${head.origin}, key ${idOf(key)}`
    return head
  }
  const bundle = await checkBundle(dataOf(report, verifier).evidence(), {
    platform: verifier,
    openCheckpoint: opened,
    known: []
  })
  const { proved, open } = findingsOf(bundle, { signers, isWitnessed: false, earlier: [] })
  const [consistent = '', ...unproved] = reportFindings(await checkReportLines(report, verifier))
  return { proved: [...proved, consistent], open: [...unproved, ...open] }
}
