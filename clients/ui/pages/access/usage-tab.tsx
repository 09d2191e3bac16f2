// The tokens and roles that link a policy or role, and the use of its rights, from the recorded questions.
import type { FunctionComponent } from 'preact'
import type { Schemas } from '../../../typescript/typed/index.js'
import { Badge, Facts, Refusal, RelativeTime, Section, Table, Who } from '../../design/index.js'
import { useChanges } from '../../live/use-stream.js'
import { resourcePage } from '../../resources/kind.js'
import type { TenancyQuery } from '../../session/tenancy.js'
import { useResponse, useTurn } from '../../session/use-response.js'
import type { PanelProps } from '../resource/resource-view.js'
import { SourceLink, sourceText } from './explanation.js'

type Usage = Schemas['AccessUsage']
type Rule = Usage['Rules'][number]

const stateOf = (state: string) => <Badge tone={state === 'unused' ? 'warn' : 'plain'}>{state}</Badge>

const usersOf = ({ UsedBy, Users }: Rule) => {
  const named = UsedBy.map(({ AccessorID }) =>
    AccessorID === undefined ? (
      'deleted tokens '
    ) : (
      <span key={AccessorID}>
        <Who accessor={AccessorID} />{' '}
      </span>
    )
  )
  return Users > named.length ? [...named, `${Users - named.length} more`] : named
}

const ruleCells = (rule: Rule) => [
  <code>
    {rule.Text} {rule.Level}
  </code>,
  rule.Namespace,
  <SourceLink source={rule.Source} />,
  stateOf(rule.State),
  rule.Count,
  rule.LastUsed && <RelativeTime at={rule.LastUsed} isShort />,
  usersOf(rule),
  rule.Overlap && `adds nothing to ${rule.Overlap.Text} of ${sourceText(rule.Overlap.Source)}`
]

const coverageOf = ({ Since, RecordedDays, RequiredDays, Gaps, NotHeard }: Usage['Coverage']) =>
  [
    ['Recorded since', Since && <RelativeTime at={Since} isShort />],
    ['Recorded', `${RecordedDays} of ${RequiredDays} days, after which rules without use are “unused”`],
    ['Gaps', Gaps.length || undefined],
    ['Not heard of', NotHeard.join(', ')]
  ] as const

/** Returns the tab of a kind. */
export const usageTab =
  (kind: 'token' | 'policy' | 'role'): FunctionComponent<PanelProps> =>
  ({ id, place }) => {
    const path = `/v1/acl/${kind}/${encodeURIComponent(id)}/usage`
    const { value, failure } = useResponse<Usage>(path, place)
    if (!value) return failure === undefined ? <p role="status">Loading …</p> : <Refusal text={failure} />
    const { Coverage, Rules, Links } = value
    return (
      <>
        <Facts facts={coverageOf(Coverage)} />
        <Section title="Rules">
          <Table
            label="Rules"
            head={['Rule', 'Namespace', 'From', 'State', 'Count', 'Last used', 'By', 'Note']}
            none="No use of these rights is recorded."
            rows={Rules.map(ruleCells)}
          />
        </Section>
        {Links.length > 0 && (
          <Section title="Links">
            <Table
              label="Links"
              head={['Link', 'State']}
              none="There are none."
              rows={Links.map(link => [<SourceLink source={link} />, stateOf(link.State)])}
            />
          </Section>
        )}
      </>
    )
  }

const MAX_USERS = 100

interface User {
  readonly id: string
  readonly name: string
}

const Users = ({ what, users }: { readonly what: 'token' | 'role'; readonly users: readonly User[] }) => (
  <>
    <h3>
      {users.length > MAX_USERS ? `More than ${MAX_USERS}` : users.length} {what}
      {users.length === 1 ? '' : 's'}
    </h3>
    <ul class="users">
      {users.slice(0, MAX_USERS).map(({ id, name }) => (
        <li key={id}>
          <a href={resourcePage(`${what}s`, { key: id })}>{name}</a>
        </li>
      ))}
    </ul>
  </>
)

interface UsedByProps {
  readonly kind: 'policy' | 'role'
  readonly id: string
  readonly place: TenancyQuery
}

export const UsedBy = ({ kind, id, place: { partition } }: UsedByProps) => {
  // The filter keys of tokens and roles contain the IDs that they link.
  const [turn, refresh] = useTurn()
  const { state } = useChanges([`ACLToken:${id}`, `ACLRole:${id}`], refresh)
  const query = { [kind]: id, ns: '*', partition, limit: MAX_USERS + 1 }
  const { value: tokens, failure } = useResponse<readonly Schemas['Token'][]>('/v1/acl/tokens', query, turn)
  const { value: roles } = useResponse<readonly Schemas['Role'][]>(
    kind === 'policy' ? '/v1/acl/roles' : undefined,
    query,
    turn
  )
  return (
    <Section title="Used by" failure={failure}>
      {typeof state === 'object' && 'refused' in state && (
        <p class="index">Not updated automatically: {state.refused}</p>
      )}
      {roles && <Users what="role" users={roles.map(({ ID, Name }) => ({ id: ID, name: Name }))} />}
      {tokens && (
        <Users
          what="token"
          users={tokens.map(({ AccessorID, Description }) => ({
            id: AccessorID,
            name: Description || AccessorID
          }))}
        />
      )}
    </Section>
  )
}
