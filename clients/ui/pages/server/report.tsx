import { useState } from 'preact/hooks'
import { messageOf } from '../../../../events/errors.js'
import type { Findings } from '../../../evidence/findings.js'
import { Field, FileField, Heading, Notice, Refusal } from '../../design/index.js'
import { isDisproof } from '../resource/proof/evidence.js'
import { type ResponseState, useTask, useValueFor } from '../../session/use-response.js'
import { verifyReport } from './verify-report.js'

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
  const [{ value: findings, failure } = {}, setResult] = useValueFor<ResponseState<Findings>>([file, vkey])
  const verify = async (signal: AbortSignal): Promise<void> =>
    setResult({ value: await verifyReport(file, vkey, signal) })
  const fail = (error: unknown): void =>
    setResult({
      failure: isDisproof(error)
        ? `Not proved: ${messageOf(error)}.`
        : `The report cannot be verified: ${messageOf(error)}`
    })
  useTask(verify, fail, [file, vkey])
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
