// What needs attention: unhealthy checks and servers, failing webhooks, lagging cursors, denied attempts, and expiring or unused tokens.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Badge, RelativeTime, Section, STATES, Status, Timeline, type Tone } from '../../design/index.js'
import type { Schemas } from '../../../typescript/typed/index.js'
import { useResponse, type ResponseState } from '../../session/use-response.js'
import { useRefreshTimer } from '../../live/use-refresh-timer.js'
import type { Token } from '../access/forms/form.js'
import { checkPage } from '../../resources/catalog/facts.js'
import { resourcePage } from '../../resources/kind.js'
import type { Query } from '../../../typescript/connection.js'

/** Problems of one sort, so that many of one do not hide the others. */
const MAX_LISTED = 5
const MAX_TOKENS = 500
const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
/** Commits behind the log from which on a cursor lags. */
const LAG = 1000
const MANAGEMENT = '00000000-0000-0000-0000-000000000001'
const UNUSED_SINCE = '2160h'
const REFRESH_MS = 15_000

interface Problem {
  readonly tone: Tone
  readonly state: string
  readonly content: ComponentChildren
}

const problem = (tone: Tone, state: string, content: ComponentChildren): Problem => ({ tone, state, content })

/** Returns the first problems of a sort, and a link to the page with all of them. */
const limited = (found: readonly Problem[], what: string, page: string): readonly Problem[] => {
  const [last, more] = [found[MAX_LISTED], found.length - MAX_LISTED]
  if (!last) return found
  const link = (
    <a href={page}>
      {more} more {what}
    </a>
  )
  return [...found.slice(0, MAX_LISTED), { ...last, content: link }]
}

type Check = Schemas['HealthCheck']

const checkProblem = (check: Check): Problem => {
  const {
    Node,
    CheckID,
    Name,
    Status: state,
    Output,
    ServiceName,
    Namespace = 'default',
    Partition = 'default'
  } = check
  const address = checkPage({ id: CheckID, node: Node, namespace: Namespace, partition: Partition })
  const content = (
    <>
      <a href={address}>{Name || CheckID}</a> of {ServiceName || 'node'} on {Node}{' '}
      <span class="quiet">{Output.split('\n')[0]?.slice(0, 120)}</span>
    </>
  )
  return problem(state === 'critical' ? 'bad' : 'warn', state, content)
}

type Cursor = Schemas['Cursor']

const cursorProblems = (cursor: Cursor): readonly Problem[] => {
  const { Name, URL, LagCommits = 0, Disabled, Delivery, Group, Units = [], Undelivered = [] } = cursor
  const parked = Units.filter(({ State }) => State === 'parked').length
  const kind = Group ? 'Consumer group' : URL === undefined ? 'Cursor' : 'Webhook'
  const about = (text: string | undefined) => (
    <>
      {kind} <a href="/ui/server?part=streams">{Name}</a> {text}
    </>
  )
  if (Disabled !== undefined) return [problem('bad', 'disabled', about(`is disabled: ${Disabled}`))]
  return [
    ...(Delivery && Delivery.State !== 'delivering'
      ? [problem('bad', 'failing', about(Delivery.LastError))]
      : []),
    ...(parked > 0 ? [problem('warn', 'parked', about(`has ${parked} parked units`))] : []),
    ...(Undelivered.length > 0
      ? [problem('warn', 'undelivered', about(`gave up on ${Undelivered.length} ranges of commits`))]
      : []),
    ...(LagCommits < LAG ? [] : [problem('warn', 'lagging', about(`is ${LagCommits} commits behind`))])
  ]
}

const tokenLink = ({ AccessorID, Description }: Token) => (
  <a href={resourcePage('tokens', { key: AccessorID })}>{Description || AccessorID}</a>
)

const expiringProblems = (tokens: readonly Token[], now: number): readonly Problem[] =>
  tokens.flatMap(token => {
    const { ExpirationTime } = token
    // Logins and replaced tokens expire as intended.
    if (!ExpirationTime || token.AuthMethod || token.RotatedTo) return []
    if (Date.parse(ExpirationTime) - now > WEEK_MS) return []
    const content = (
      <>
        Token {tokenLink(token)} expires <RelativeTime at={ExpirationTime} isShort />
      </>
    )
    return [problem('warn', 'expiring', content)]
  })

const denialProblems = ({ Attempts }: Schemas['DeniedAttemptCounts']): readonly Problem[] =>
  Attempts === 0
    ? []
    : [
        problem(
          'warn',
          'denied',
          <>
            <a href="/ui/denials">
              {Attempts.toLocaleString('en')} denied {Attempts === 1 ? 'attempt' : 'attempts'}
            </a>{' '}
            in the last 24 hours
          </>
        )
      ]

interface Props {
  /** The token has operator:read; undefined until this is known. */
  readonly mayOperate: boolean | undefined
  /** The token has acl:read. */
  readonly mayReadTokens: boolean | undefined
}

/** The problems are undefined until all responses are there. The failure is the reason why some may be missing. */
const useProblems = ({ mayOperate, mayReadTokens }: Props) => {
  const [turn] = useRefreshTimer(REFRESH_MS)
  const useList = <T,>(isAllowed: boolean | undefined, path: string, query: Query = {}): ResponseState<T> =>
    useResponse<T>(isAllowed ? path : undefined, query, turn)
  const since = useMemo(() => new Date(Date.now() - DAY_MS).toISOString(), [])
  const critical = useList<readonly Check[]>(true, '/v1/health/state/critical', { ns: '*' })
  const warning = useList<readonly Check[]>(true, '/v1/health/state/warning', { ns: '*' })
  const cursors = useList<readonly Cursor[]>(mayOperate, '/v1/event/cursors')
  const cluster = useList<Schemas['AutopilotState']>(mayOperate, '/v1/operator/autopilot/state')
  const tokens = useList<readonly Token[]>(mayReadTokens, '/v1/acl/tokens', {
    ns: '*',
    limit: MAX_TOKENS,
    filter: 'ExpirationTime != ""'
  })
  const unused = useList<readonly Token[]>(mayReadTokens, '/v1/acl/tokens', {
    policy: MANAGEMENT,
    'unused-since': UNUSED_SINCE,
    limit: MAX_LISTED
  })
  const mayReadDenials = mayOperate && mayReadTokens
  const denials = useList<Schemas['DeniedAttemptCounts']>(mayReadDenials, '/v1/event/audit/denials', {
    since
  })
  const responses = [
    critical,
    warning,
    ...(mayOperate ? [cursors, cluster] : []),
    ...(mayReadTokens ? [tokens, unused] : [])
  ]
  const failure = responses.find(response => response.failure !== undefined)?.failure
  // Servers that record no denials refuse to count them.
  const all = mayReadDenials ? [...responses, denials] : responses
  const isPending =
    mayOperate === undefined ||
    mayReadTokens === undefined ||
    all.some(response => response.value === undefined && response.failure === undefined)
  if (isPending) return { problems: undefined, failure }
  const servers = Object.values(cluster.value?.Servers ?? {}).filter(({ Healthy }) => !Healthy)
  const problems = [
    ...servers.map(({ Name, NodeStatus }) =>
      problem('bad', NodeStatus, ['Server ', <a href="/ui/server">{Name}</a>])
    ),
    ...limited(
      [...(critical.value ?? []), ...(warning.value ?? [])].map(checkProblem),
      'checks',
      '/ui/checks'
    ),
    ...limited((cursors.value ?? []).flatMap(cursorProblems), 'streams', '/ui/server?part=streams'),
    ...(denials.value ? denialProblems(denials.value) : []),
    ...limited(expiringProblems(tokens.value ?? [], Date.now()), 'tokens', '/ui/tokens'),
    ...(unused.value ?? []).map(token =>
      problem('warn', 'unused', <>Management token {tokenLink(token)} was not used for 90 days</>)
    )
  ]
  return { problems, failure }
}

export const Problems = (props: Props) => {
  const { problems, failure } = useProblems(props)
  return (
    <Section title="Problems" failure={failure} isPending={!problems && failure === undefined}>
      {problems?.length === 0 && failure === undefined && (
        <p role="status">
          {props.mayOperate && props.mayReadTokens ? 'No problems.' : 'No problems visible to this token.'}
        </p>
      )}
      {problems && problems.length > 0 && (
        <Timeline
          items={problems.map(({ tone, state, content }, id) => ({
            id,
            content,
            end: STATES[state] ? <Status of={state} /> : <Badge tone={tone}>{state}</Badge>
          }))}
        />
      )}
    </Section>
  )
}
