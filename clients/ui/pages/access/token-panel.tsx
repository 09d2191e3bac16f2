// What the page of a token has besides: when it was used and ends, its rights, its form, and its clones.
import { ZERO_TIME } from '../../../../events/time.js'
import { Refusal } from '../../components/notice.js'
import { announce } from '../../components/status-announcer.js'
import { tenancyQueryOf, type TenancyQuery } from '../../session/tenancy.js'
import { useResponse, usePermission } from '../../session/use-response.js'
import type { PanelProps } from '../resource/panel-props.js'
import { DeleteButton } from './forms/delete-button.js'
import { TokenForm } from './forms/token-form.js'
import type { Token, CreatedToken } from './forms/acl-resources.js'
import { RelativeTime } from '../../components/relative-time.js'
import { PermissionsPanel } from './permissions-panel.js'
import { useState } from 'preact/hooks'
import { reasonHeaders } from '../../session/reason.js'
import { client } from '../../session/session.js'
import { useAction } from '../../session/use-action.js'
import { ReasonInput } from '../../components/reason-input.js'
import { NewSecret } from './forms/new-secret.js'

/** Makes another token with the rights of one. */
const Clone = ({ token, place }: { readonly token: Token; readonly place: TenancyQuery }) => {
  const [description, setDescription] = useState(`Clone of ${token.Description || token.AccessorID}`)
  const [reason, setReason] = useState('')
  const [made, setMade] = useState<CreatedToken>()
  const { failure, isRunning, run } = useAction()
  const mayWrite = usePermission('write', 'acl', place) !== false
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    run(async () => {
      const path = `/v1/acl/token/${token.AccessorID}/clone`
      const body = { Description: description }
      const headers = reasonHeaders(reason)
      const answer = await client.value.connection.request('PUT', path, { query: place, body, headers })
      setMade(await answer.json<CreatedToken>())
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

const Facts = ({ token }: { readonly token: Token }) => {
  const { AuthMethod, CreateTime, ExpirationTime, LastUsed, Local } = token
  return (
    <dl>
      <div>
        <dt>Made</dt>
        <dd>
          {CreateTime === ZERO_TIME ? 'with the log' : <RelativeTime at={CreateTime} />}
          {AuthMethod && ` by a login with ${AuthMethod}`}
        </dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>{LastUsed ? <RelativeTime at={LastUsed} /> : 'never, as far as is known'}</dd>
      </div>
      <div>
        <dt>Ends</dt>
        <dd>{ExpirationTime ? <RelativeTime at={ExpirationTime} /> : 'never'}</dd>
      </div>
      <div>
        <dt>Valid</dt>
        <dd>{Local ? 'in this datacenter' : 'in all datacenters'}</dd>
      </div>
    </dl>
  )
}

export const TokenPanel = (props: PanelProps) => {
  const { named, turn } = props
  const id = String(named['key'])
  const place = tenancyQueryOf(named)
  const path = '/v1/acl/token'
  const { value: token, failure } = useResponse<Token>(`${path}/${encodeURIComponent(id)}`, place, turn)
  return (
    <>
      <Refusal text={failure} />
      {token && <Facts token={token} />}
      <PermissionsPanel {...props} />
      {token && (
        <>
          <section aria-label="Edit">
            <h2>Edit</h2>
            <TokenForm token={token} place={place} done={() => announce('Saved.')} />
          </section>
          {!token.AuthMethod && <Clone token={token} place={place} />}
          <DeleteButton
            target={{ path, id, place }}
            what="token"
            name={token.Description || id}
            consequence="Requests with it are denied afterwards."
            back="/ui/tokens"
          />
        </>
      )}
    </>
  )
}
