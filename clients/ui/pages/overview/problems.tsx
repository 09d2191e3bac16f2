// What needs attention: unhealthy checks and servers, failing webhooks, lagging cursors, denied attempts, and expiring or unused tokens.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Badge, RelativeTime, Section, STATES, Status, Timeline, type Tone } from '../../design/index.js'
import type { Schemas } from '../../../typescript/typed/index.js'
import { useResponse, type ResponseState } from '../../session/use-response.js'
import { useRefreshTimer } from '../../live/use-refresh-timer.js'
import { checkFacts, checkPage } from '../../resources/catalog/facts.js'
import { resourcePage } from '../../resources/kind.js'
import type { Query } from '../../../typescript/connection.js'

/** Problems of one sort, so that many of one do not hide the others. */
const MAX_LISTED = 5
const MAX_TOKENS = 500
const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
/** Commits behind the log from which on a cursor lags. */
const LAG = 1000
type Token = Omit<Schemas['Token'], 'SecretID'>

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

const serverProblems = ({ Servers }: Schemas['AutopilotState']): readonly Problem[] =>
  Object.values(Servers)
    .filter(({ Healthy }) => !Healthy)
    .map(({ Name, NodeStatus }) => problem('bad', NodeStatus, ['Server ', <a href="/ui/server">{Name}</a>]))

const isCritical = ({ Status: state }: Schemas['HealthCheck']): boolean => state === 'critical'

const checkProblems = (found: readonly Schemas['HealthCheck'][]): readonly Problem[] => {
  const sorted = [...found.filter(isCritical), ...found.filter(check => !isCritical(check))]
  const problems = sorted.map(check => {
    const { id, node, name, namespace, partition, status, output, serviceName } = checkFacts({ ...check })
    return problem(
      isCritical(check) ? 'bad' : 'warn',
      status,
      <>
        <a href={checkPage({ id, node, namespace, partition })}>{name || id}</a> of {serviceName || 'node'} on{' '}
        {node} <span class="quiet">{output.split('\n')[0]?.slice(0, 120)}</span>
      </>
    )
  })
  return limited(problems, 'checks', '/ui/checks')
}

type Cursor = Schemas['Cursor']

const problemsOf = (cursor: Cursor): readonly Problem[] => {
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

const cursorProblems = (cursors: readonly Cursor[]): readonly Problem[] =>
  limited(cursors.flatMap(problemsOf), 'streams', '/ui/server?part=streams')

const tokenLink = ({ AccessorID, Description }: Token) => (
  <a href={resourcePage('tokens', { key: AccessorID })}>{Description || AccessorID}</a>
)

const expiringProblems = (tokens: readonly Token[]): readonly Problem[] => {
  const problems = tokens.flatMap(token => {
    const { ExpirationTime } = token
    // Logins and replaced tokens expire as intended.
    if (!ExpirationTime || token.AuthMethod || token.RotatedTo) return []
    if (Date.parse(ExpirationTime) - Date.now() > WEEK_MS) return []
    const content = (
      <>
        Token {tokenLink(token)} expires <RelativeTime at={ExpirationTime} isShort />
      </>
    )
    return [problem('warn', 'expiring', content)]
  })
  return limited(problems, 'tokens', '/ui/tokens')
}

const unusedProblems = (tokens: readonly Token[]): readonly Problem[] =>
  tokens.map(token =>
    problem('warn', 'unused', <>Management token {tokenLink(token)} was not used for 90 days</>)
  )

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

interface Source<T> extends ResponseState<T> {
  readonly isPending: boolean
  readonly problems: readonly Problem[]
}

/** The problems are undefined until all responses are there. The failure is the reason why some may be missing. */
const useProblems = ({ mayOperate, mayReadTokens }: Props) => {
  const [turn] = useRefreshTimer(REFRESH_MS)
  const useSource = <T,>(
    isAllowed: boolean | undefined,
    path: string,
    listOf: (found: T) => readonly Problem[],
    query: Query = {}
  ): Source<T> => {
    const response = useResponse<T>(isAllowed ? path : undefined, query, turn)
    const { value, failure } = response
    const isPending = isAllowed !== false && value === undefined && failure === undefined
    return { ...response, isPending, problems: value === undefined ? [] : listOf(value) }
  }
  const since = useMemo(() => new Date(Date.now() - DAY_MS).toISOString(), [])
  const sources = [
    useSource(mayOperate, '/v1/operator/autopilot/state', serverProblems),
    useSource(true, '/v1/health/state/any', checkProblems, { ns: '*', filter: 'Status != "passing"' }),
    useSource(mayOperate, '/v1/event/cursors', cursorProblems),
    // Servers that record no denials refuse to count them.
    {
      ...useSource(mayOperate && mayReadTokens, '/v1/event/audit/denials', denialProblems, { since }),
      failure: undefined
    },
    useSource(mayReadTokens, '/v1/acl/tokens', expiringProblems, {
      ns: '*',
      limit: MAX_TOKENS,
      filter: 'ExpirationTime != ""'
    }),
    useSource(mayReadTokens, '/v1/acl/tokens', unusedProblems, {
      policy: MANAGEMENT,
      'unused-since': UNUSED_SINCE,
      limit: MAX_LISTED
    })
  ]
  const { failure } = sources.find(source => source.failure !== undefined) ?? {}
  const isPending = sources.some(source => source.isPending)
  return { problems: isPending ? undefined : sources.flatMap(({ problems }) => problems), failure }
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
