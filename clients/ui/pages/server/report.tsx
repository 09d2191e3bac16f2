import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { checkBundle } from '../../../evidence/check-bundle.js'
import { findingsOf, type Findings } from '../../../evidence/findings.js'
import type { LinesDigest, VerifierPlatform } from '../../../evidence/platform.js'
import { checkReportLines, dataOf, reportFindings } from '../../../evidence/report-lines.js'
import { base64Of } from '../../resources/base64.js'
import { idOf, openCheckpoint, platform, type Checkpoint, isDisproof } from '../resource/proof/evidence.js'
import { useState } from 'preact/hooks'
import { messageOf } from '../../../../events/errors.js'
import { Field, FileField, Heading, Notice, Refusal } from '../../design/index.js'
import { useResult } from '../../session/use-response.js'
import { linesOf } from './lines.js'

// Verifies an audit report without a server, by the code of `annals audit verify`.

const linesDigest = (): LinesDigest => {
  const hash = sha256.create()
  const encoder = new TextEncoder()
  return {
    add: text => void hash.update(encoder.encode(`${text}\n`)),
    end: () => bytesToHex(hash.digest())
  }
}

const verifier: VerifierPlatform = { ...platform, toBase64: base64Of, linesDigest }

/** @param vkey public key of the log @throws Unproved MalformedNote */
export const verifyReport = async (file: Blob, vkey: string, signal: AbortSignal): Promise<Findings> => {
  const report = (): AsyncIterable<string> => linesOf(file.stream(), signal)
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

const FindingList = ({ title, texts }: { readonly title: string; readonly texts: readonly string[] }) => (
  <>
    <h2>{title}</h2>
    <ul>
      {texts.map(text => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  </>
)

const Result = ({ file, vkey }: { readonly file: File; readonly vkey: string }) => {
  const { value: findings, failure } = useResult(
    signal => verifyReport(file, vkey, signal),
    [file, vkey],
    error =>
      isDisproof(error)
        ? `Not proved: ${messageOf(error)}.`
        : `The report cannot be verified: ${messageOf(error)}`
  )
  if (failure !== undefined) return <Refusal text={failure} />
  if (!findings) return <p role="status">Verifying {file.name} …</p>
  return (
    <section aria-label={`Result of ${file.name}`}>
      <Notice tone="good">
        <FindingList title="Proved" texts={findings.proved} />
      </Notice>
      {findings.open.length > 0 && (
        <Notice tone="warn">
          <FindingList title="Not proved" texts={findings.open} />
        </Notice>
      )}
    </section>
  )
}

export const ReportPage = () => {
  const [file, setFile] = useState<File>()
  const [vkey, setVkey] = useState('')
  return (
    <main
      class="resource"
      onDragOver={event => event.preventDefault()}
      onDrop={event => {
        event.preventDefault()
        setFile(event.dataTransfer?.files[0])
      }}
    >
      <header>
        <Heading>Verify an audit report</Heading>
      </header>
      <p>
        This page verifies a report of <code>annals audit report</code> in your browser and sends it nowhere.
        Take the public key of the log from a source that you trust.
      </p>
      <Field label="Public key of the log" placeholder="annals/…+…+…" value={vkey} isLazy change={setVkey} />
      <FileField label="Report, chosen or dropped here" accept=".html,.json" change={setFile} />
      {file && vkey === '' && <p role="status">Enter the public key to verify {file.name}.</p>}
      {file && vkey !== '' && <Result file={file} vkey={vkey} />}
    </main>
  )
}
