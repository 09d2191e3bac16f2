import { useState } from 'preact/hooks'
import {
  ActionForm,
  announce,
  CheckField,
  ConfirmButton,
  Field,
  FileField,
  Notice,
  saveFile,
  Section,
  SubmitButton
} from '../../design/index.js'
import { reasonHeaders } from '../send.js'
import { client } from '../../session/session.js'
import { sizeText } from './formatters.js'

const nameNow = (): string => `annals-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.snap`

const Save = () => {
  const [isState, setIsState] = useState(false)
  const [recipient, setRecipient] = useState('')
  const save = async (): Promise<void> => {
    const query = { state: isState, recipient: recipient.trim() || undefined }
    const answer = await client.value.connection.request('GET', '/v1/snapshot', { query })
    const file = await new Response(answer.body).blob()
    const name = nameNow()
    saveFile(name, file)
    announce(`${name} was saved, ${sizeText(file.size)}.`)
  }
  return (
    <ActionForm class="fields" action={save}>
      <p>A signed archive of the log with its history. It contains secrets.</p>
      <CheckField label="State only, without history" value={isState} change={setIsState} />
      <Field
        label="Recipients: age public keys, separated by commas"
        name="recipient"
        placeholder="age1…"
        value={recipient}
        change={setRecipient}
      />
      <p>
        <SubmitButton label="Save a snapshot" running="Saving …" />
      </p>
    </ActionForm>
  )
}

const IDENTITY = 'X-Service-Snapshot-Identity'

const Restore = () => {
  const [file, setFile] = useState<File>()
  const [pin, setPin] = useState('')
  const [identity, setIdentity] = useState('')
  const restore = async (reason: string): Promise<void> => {
    if (!file) return
    const key = identity.trim()
    await client.value.connection.request('PUT', '/v1/snapshot', {
      body: file,
      query: { pin: pin.trim() || undefined },
      headers: { ...reasonHeaders(reason), ...(key === '' ? {} : { [IDENTITY]: key }) }
    })
    setIdentity('')
    announce(`${file.name} was restored.`)
  }
  return (
    <div class="fields">
      <Notice tone="warn">
        The state becomes that of the snapshot. Later changes leave the state and stay in the history.
      </Notice>
      <FileField label="Snapshot" accept=".snap,.gz,.tgz,.age" change={setFile} />
      <Field label="Expected signing key" value={pin} change={setPin} />
      <Field
        label="age secret key, if encrypted"
        isSecret
        placeholder="AGE-SECRET-KEY-1…"
        value={identity}
        change={setIdentity}
      />
      <p>
        <ConfirmButton
          label="Restore"
          title="Restore the state of this snapshot?"
          typed="restore"
          disabled={!file}
          action={restore}
        >
          {file &&
            `${file.name}, ${sizeText(file.size)}, saved ${new Date(file.lastModified).toLocaleString()}`}
        </ConfirmButton>
      </p>
    </div>
  )
}

export const Snapshots = () => (
  <>
    <Section title="Save">
      <Save />
    </Section>
    <Section title="Restore">
      <Restore />
    </Section>
  </>
)
