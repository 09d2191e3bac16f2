// Saves everything that the server knows as one file, and makes the state what such a file says.
import { Section } from './section.js'
import { useState } from 'preact/hooks'
import { ConfirmButton } from '../../components/confirm-button.js'
import { Notice, Refusal } from '../../components/notice.js'
import { announce } from '../../components/status-announcer.js'
import { reasonHeaders } from '../../session/reason.js'
import { client } from '../../session/session.js'
import { sizeText } from './formatters.js'
import { useAction } from '../../session/use-action.js'

/** Gives the browser a file to keep. */
const keep = (file: Blob, name: string): void => {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

const nameNow = (): string => `annals-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.snap`

const Save = () => {
  const [isState, setIsState] = useState(false)
  const [recipient, setRecipient] = useState('')
  const { failure, isRunning, run } = useAction()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    run(async () => {
      const query = { state: isState, recipient: recipient.trim() || undefined }
      const answer = await client.value.connection.request('GET', '/v1/snapshot', { query })
      const file = await new Response(answer.body).blob()
      const name = nameNow()
      keep(file, name)
      announce(`${name} was saved, ${sizeText(file.size)}.`)
    })
  }
  return (
    <form class="fields" onSubmit={submit}>
      <p>A signed archive of the log with its history. Secrets in it are as the server keeps them.</p>
      <label class="check">
        <input
          type="checkbox"
          checked={isState}
          onChange={({ currentTarget }) => setIsState(currentTarget.checked)}
        />{' '}
        The state alone, without what led to it
      </label>
      <label>
        Encrypted for (public keys of age, with commas between them)
        <input
          value={recipient}
          placeholder="age1…"
          onInput={({ currentTarget }) => setRecipient(currentTarget.value)}
        />
      </label>
      <p>
        <button type="submit" disabled={isRunning}>
          {isRunning ? 'Saving …' : 'Save a snapshot'}
        </button>
      </p>
      <Refusal text={failure} />
    </form>
  )
}

/** Makes the state what a snapshot says, after the name of the server was typed. */
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
        Everything becomes what the file says: what was made since is gone from the state, and stays in the
        history.
      </Notice>
      <label>
        Snapshot
        <input
          type="file"
          accept=".snap,.gz,.tgz,.age"
          onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
        />
      </label>
      <label>
        The key that must have signed it, if you know it
        <input value={pin} onInput={({ currentTarget }) => setPin(currentTarget.value)} />
      </label>
      <label>
        Secret key of age, if it is encrypted
        <input
          type="password"
          autocomplete="off"
          placeholder="AGE-SECRET-KEY-1…"
          value={identity}
          onInput={({ currentTarget }) => setIdentity(currentTarget.value)}
        />
      </label>
      <p>
        <ConfirmButton
          label="Restore"
          title="Make the state what the snapshot says?"
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
