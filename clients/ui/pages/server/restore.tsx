// Makes the state what a snapshot says, after the name of the server was typed.
import { useState } from 'preact/hooks'
import { ConfirmButton } from '../../parts/confirm-button.js'
import { Notice } from '../../parts/notice.js'
import { say } from '../../parts/said.js'
import { reasonHeaders } from '../../session/reason.js'
import { client } from '../../session/session.js'
import { sizeText } from './words.js'

const IDENTITY = 'X-Service-Snapshot-Identity'

export const Restore = () => {
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
    say(`${file.name} was restored.`)
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
          deed={restore}
        >
          {file &&
            `${file.name}, ${sizeText(file.size)}, saved ${new Date(file.lastModified).toLocaleString()}`}
        </ConfirmButton>
      </p>
    </div>
  )
}
