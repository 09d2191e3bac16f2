// The query parameters of routes: declared ones, and those that follow from other declarations (spec: state.md §10, §11).
import { invalid } from '../../actors/refusal.js'
import { PAGES } from './reads/page.js'
import { present, unsigned64, type Query } from './query.js'
import type { RouteFacts } from './route.js'

type Parameters = NonNullable<RouteFacts['query']>

const LONGEST_SHOWN = 200

const EVERYWHERE: Parameters = { pretty: present('Indent the JSON of the answer') }
const BLOCKING: Parameters = {
  index: unsigned64('Answer only when what is read has changed beyond this index'),
  wait: 'How long to wait for a change, such as 30s; at most 10m'
}
const CONSISTENCY: Parameters = {
  stale: present('Any server may answer'),
  consistent: present('The leader answers, after it has made sure that it leads; not together with `stale`'),
  max_stale: 'Any server may answer that is not further behind than this duration'
}
const CACHED: Parameters = {
  cached: present('Answer from what was found before, as long as it is fresh enough')
}

const DATACENTERS: Readonly<Record<'named' | 'ignored' | 'checked' | 'or region', Parameters>> = {
  named: { dc: 'Name of the datacenter that answers; that of the server unless given' },
  ignored: { dc: 'Has no effect: the request is about the server that is asked' },
  checked: {
    dc: 'Name of a known datacenter; the write goes to the datacenter that owns the resource, whichever is named'
  },
  'or region': {
    dc: 'Name of the datacenter that answers; that of the server unless given',
    region: 'The same; `global` means that of the server'
  }
}

export const TIME_TRAVEL: Parameters = {
  at: 'The answer as it was at this index, or at this time (RFC 3339), by the rights of now; not together with `index`',
  diff: 'What has changed between two indexes or times, as in `40..42`: a JSON Patch (RFC 6902), of lists by the names of their elements'
}

const PARTITION = 'Admin partition; `default` unless given'

const ofTenancy = (tenancy: RouteFacts['tenancy'] = 'one'): Parameters => {
  if (tenancy === 'none') return {}
  if (tenancy === 'partition') return { partition: PARTITION }
  const own = tenancy === 'named' ? '`default`' : 'that of the token'
  const all = tenancy === 'many' ? '; `*` for all in which the caller may read' : ''
  return { ns: `Namespace; ${own} unless given${all}`, partition: PARTITION }
}

export const queryParameters = ({
  query,
  blocking,
  consistency = 'none',
  caching = 'none',
  tenancy,
  past,
  isPaged,
  dc
}: RouteFacts): Parameters => ({
  ...(isPaged ? PAGES : {}),
  ...query,
  ...(blocking ? BLOCKING : {}),
  ...(consistency === 'none' ? {} : CONSISTENCY),
  ...(caching === 'none' ? {} : CACHED),
  ...(past?.needs ? TIME_TRAVEL : {}),
  ...ofTenancy(tenancy),
  ...DATACENTERS[dc ?? 'named'],
  ...EVERYWHERE
})

/** Parameters that Consul's clients send with every request, whether they apply or not. */
const WITHOUT_EFFECT =
  'ap cached consistent datacenter dc help namespace near next_token ns params partition per_page prefix pretty region reverse stale token wait'.split(
    ' '
  )

/** Rejects undeclared parameters. @throws Refusal `invalid` that names the first unknown one */
export const refuseUnknown = (facts: RouteFacts, query: Query): void => {
  if (query.isEmpty) return
  const own = queryParameters(facts)
  for (const name of query.names) {
    if (name === '' || Object.hasOwn(own, name) || WITHOUT_EFFECT.includes(name)) continue
    const known = Object.keys(own).toSorted().join(', ')
    throw invalid(
      'request.parameter-unknown',
      `Unknown query parameter ${JSON.stringify(name.slice(0, LONGEST_SHOWN))}: known are ${known}`
    )
  }
}
