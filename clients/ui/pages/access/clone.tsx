// Makes another token with the rights of one.
import { useState } from 'preact/hooks'
import { Refusal } from '../../parts/refusal.js'
import { reasonHeaders } from '../../session/reason.js'
import type { Place } from '../../session/place.js'
import { client } from '../../session/session.js'
import { useDeed } from '../../session/use-deed.js'
import { useMay } from '../../session/use-may.js'
import { ReasonInput } from '../../parts/reason-input.js'
import { NewSecret } from './forms/new-secret.js'
import type { MadeToken, Token } from './forms/things.js'

export const Clone = ({ token, place }: { readonly token: Token; readonly place: Place }) => {
  const [description, setDescription] = useState(`Clone of ${token.Description || token.AccessorID}`)
  const [reason, setReason] = useState('')
  const [made, setMade] = useState<MadeToken>()
  const { failure, isRunning, run } = useDeed()
  const mayWrite = useMay('write', 'acl', place) !== false
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    run(async () => {
      const path = `/v1/acl/token/${token.AccessorID}/clone`
      const body = { Description: description }
      const headers = reasonHeaders(reason)
      const answer = await client.value.connection.request('PUT', path, { query: place, body, headers })
      setMade(await answer.json<MadeToken>())
    })
  }
  return (
    <section aria-label="Clone">
      <h2>Clone</h2>
      <form onSubmit={submit} class="choices">
        <input
          aria-label="Description of the clone"
          value={description}
          onInput={({ currentTarget }) => setDescription(currentTarget.value)}
        />
        <ReasonInput value={reason} change={setReason} />
        <button type="submit" disabled={isRunning || !mayWrite}>
          Clone
        </button>
      </form>
      <Refusal text={failure} />
      {made && <NewSecret token={made} />}
    </section>
  )
}
