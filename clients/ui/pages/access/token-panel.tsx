import { useState } from 'preact/hooks'
import { ZERO_TIME } from '../../../../events/time.js'
import { ActionForm } from '../../components/action-form.js'
import { Facts } from '../../components/facts.js'
import { Refusal } from '../../components/notice.js'
import { ReasonInput } from '../../components/reason-input.js'
import { RelativeTime } from '../../components/relative-time.js'
import { Section } from '../../components/section.js'
import { announce } from '../../components/status-announcer.js'
import { tenancyQueryOf } from '../../session/tenancy.js'
import { useResponse, usePermission } from '../../session/use-response.js'
import type { PanelProps } from '../resource/panel-props.js'
import { pathOf, send, type Target } from '../send.js'
import type { Token, CreatedToken } from './forms/acl-resources.js'
import { DeleteButton } from './forms/form.js'
import { NewSecret, TokenForm } from './forms/token-form.js'
import { PermissionsPanel } from './permissions-panel.js'

interface CloneProps {
  readonly token: Token
  readonly target: Target
}

const Clone = ({ token, target }: CloneProps) => {
  const [Description, setDescription] = useState(`Clone of ${token.Description || token.AccessorID}`)
  const [reason, setReason] = useState('')
  const [created, setCreated] = useState<CreatedToken>()
  const mayWrite = usePermission('write', 'acl', target.place) !== false
  const clone = async (): Promise<void> => {
    const write = { query: target.place, body: { Description }, reason }
    setCreated(await (await send('PUT', `${pathOf(target)}/clone`, write)).json<CreatedToken>())
  }
  return (
    <Section title="Clone">
      <ActionForm action={clone} class="choices">
        {isRunning => (
          <>
            <input
              aria-label="Description of the clone"
              value={Description}
              onInput={({ currentTarget }) => setDescription(currentTarget.value)}
            />
            <ReasonInput value={reason} change={setReason} />
            <button type="submit" disabled={isRunning || !mayWrite}>
              Clone token
            </button>
          </>
        )}
      </ActionForm>
      {created && <NewSecret token={created} />}
    </Section>
  )
}

const TokenFacts = ({ token }: { readonly token: Token }) => {
  const { AuthMethod, CreateTime, ExpirationTime, LastUsed, Local } = token
  const created = (
    <>
      {CreateTime === ZERO_TIME ? 'with the log' : <RelativeTime at={CreateTime} />}
      {AuthMethod && ` by a login with ${AuthMethod}`}
    </>
  )
  return (
    <Facts
      isInline
      facts={[
        ['Created', created],
        ['Last used', LastUsed ? <RelativeTime at={LastUsed} /> : 'never'],
        ['Expires', ExpirationTime ? <RelativeTime at={ExpirationTime} /> : 'never'],
        ['Scope', Local ? 'this datacenter' : 'all datacenters']
      ]}
    />
  )
}

export const TokenPanel = (props: PanelProps) => {
  const { named, turn } = props
  const target = { path: '/v1/acl/token', id: String(named['key']), place: tenancyQueryOf(named) }
  const { value: token, failure } = useResponse<Token>(pathOf(target), target.place, turn)
  return (
    <>
      <Refusal text={failure} />
      {token && <TokenFacts token={token} />}
      <PermissionsPanel {...props} />
      {token && (
        <>
          <Section title="Edit">
            <TokenForm target={target} stored={token} done={() => announce('Saved.')} />
          </Section>
          {!token.AuthMethod && <Clone token={token} target={target} />}
          <DeleteButton
            target={target}
            what="token"
            name={token.Description || target.id}
            consequence="Requests with it are denied afterwards."
            back="/ui/tokens"
          />
        </>
      )}
    </>
  )
}
