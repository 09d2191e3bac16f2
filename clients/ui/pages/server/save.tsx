// Saves a snapshot as a file of the browser. The token goes with the request, in no address.
import { useState } from 'preact/hooks'
import { Refusal } from '../../parts/refusal.js'
import { say } from '../../parts/said.js'
import { client } from '../../session/session.js'
import { useDeed } from '../../session/use-deed.js'
import { sizeText } from './words.js'

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

export const Save = () => {
  const [isState, setIsState] = useState(false)
  const [recipient, setRecipient] = useState('')
  const { failure, isRunning, run } = useDeed()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    run(async () => {
      const query = { state: isState, recipient: recipient.trim() || undefined }
      const answer = await client.value.connection.request('GET', '/v1/snapshot', { query })
      const file = await new Response(answer.body).blob()
      const name = nameNow()
      keep(file, name)
      say(`${name} was saved, ${sizeText(file.size)}.`)
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
