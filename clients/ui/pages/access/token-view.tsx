import { useState } from 'preact/hooks'
import { ZERO_TIME } from '../../../../events/time.js'
import { ActionForm } from '../../components/action-form.js'
import { Facts } from '../../components/facts.js'
import { Refusal } from '../../components/notice.js'
import { ReasonInput } from '../../components/reason-input.js'
import { formatRelativeTime, RelativeTime } from '../../components/relative-time.js'
import { Section } from '../../components/section.js'
import { announce } from '../../components/status-announcer.js'
import { tenancyQueryOf } from '../../session/tenancy.js'
import { useResponse, usePermission } from '../../session/use-response.js'
import type { Query } from '../../../typescript/connection.js'
import { Badge } from '../../components/badge.js'
import { linksTo } from '../../components/links-to.js'
import { fieldsOf, textOf } from '../../resources/kind.js'
import { identitiesOf } from '../../resources/kinds.js'
import type { PanelProps, ResourceView } from '../resource/resource-view.js'
import { pathOf, send, type Target } from '../send.js'
import type { Token, CreatedToken } from './forms/acl-resources.js'
import { DeleteButton } from './forms/form.js'
import { NewSecret, TokenForm } from './forms/token-form.js'
import { PermissionsPanel } from './permissions-panel.js'

const WEEK_MS = 7 * 86_400_000

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

const targetOf = (named: Query) => ({
  path: '/v1/acl/token',
  id: String(named['key']),
  place: tenancyQueryOf(named)
})

const Summary = ({ named, turn }: PanelProps) => {
  const target = targetOf(named)
  const { value: token, failure } = useResponse<Token>(pathOf(target), target.place, turn)
  return (
    <>
      <Refusal text={failure} />
      {token && (
        <>
          <Facts facts={[['Last used', token.LastUsed ? <RelativeTime at={token.LastUsed} /> : 'never']]} />
          <Section title="Edit">
            <TokenForm target={target} stored={token} done={() => announce('Saved.')} />
          </Section>
          {!token.AuthMethod && <Clone token={token} target={target} />}
        </>
      )}
    </>
  )
}

const timeOf = (at: unknown, without: string) =>
  typeof at === 'string' && at !== ZERO_TIME ? <RelativeTime at={at} /> : without

export const tokenView: ResourceView = {
  permission: () => ({ resource: 'acl', segment: '' }),
  status: ({ ExpirationTime }) =>
    typeof ExpirationTime === 'string' && Date.parse(ExpirationTime) - Date.now() < WEEK_MS ? (
      <Badge tone="warn">expires {formatRelativeTime(Date.parse(ExpirationTime), Date.now())}</Badge>
    ) : null,
  summary: fields => [
    ['Policies', linksTo('policies', fields['Policies'])],
    ['Roles', linksTo('roles', fields['Roles'])],
    ['Identities', identitiesOf(fields)],
    ['Expires', timeOf(fields['ExpirationTime'], 'never')],
    ['Scope', fields['Local'] === true ? 'this datacenter' : 'all datacenters'],
    ['Login', textOf(fields['AuthMethod'])],
    ['Created', timeOf(fields['CreateTime'], 'with the log')],
    ['Accessor ID', textOf(fields['AccessorID'])]
  ],
  Actions: ({ named, newest }) => (
    <DeleteButton
      target={targetOf(named)}
      what="token"
      name={textOf(fieldsOf(newest.Payload ?? {})['Description']) || String(named['key'])}
      consequence="Requests with it are denied afterwards."
      back="/ui/tokens"
    />
  ),
  Summary,
  Permissions: PermissionsPanel
}
