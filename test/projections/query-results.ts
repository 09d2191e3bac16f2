// What can be asked of the read models, for comparing two states by what readers and decisions see of them: also the
// indexes that prefixes, names and tenancies keep of what is gone.
import { runAtOnce } from '../../projections/steps.js'
import { CONFIG_KINDS } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { serviceKey } from '../../projections/config/names.js'
import type { Views } from '../../projections/read-models.js'
import { id } from '../actors/acl-resources.js'

const PARTITIONS = ['default', 'p']
const SPACES: readonly Tenancy[] = PARTITIONS.flatMap(partition =>
  ['default', 'a'].map(namespace => ({ partition, namespace }))
)
const KEYS = ['a', 'a/b', 'a/bc', 'a/b/c', 'ä/\u{1f600}', 'b', 'b/x', 'b/y']
/** Every beginning of every key, and what none begins with. */
const PREFIXES = [
  ...new Set([
    ...KEYS.flatMap(key => Array.from({ length: key.length }, (_, i) => key.slice(0, i + 1))),
    '',
    'z'
  ])
]
const NAMES = ['web', 'api', 'one', 'a', 'b', 'c', 'd']
const IDS = [0, 1, 2, 3]

/** Of what comes in no order. */
const sorted = (values: Iterable<unknown>): string[] =>
  [...values].map(value => JSON.stringify(value)).toSorted()

const aclAnswers = (views: Views): unknown => {
  const { policies, roles, tokens, authMethods, bindingRules, oidcRequests } = views
  return [
    [policies, roles, tokens, authMethods, bindingRules].map(({ index }) => index),
    SPACES.map(space => [
      [policies, roles, tokens, authMethods, bindingRules].map(model => model.indexOf(space)),
      policies.list(space).map(({ policy, json, listJson }) => [
        json,
        listJson,
        tokens
          .linkedTo('policy', policy.ID)
          .map(({ secret }) => secret)
          .toSorted(),
        roles
          .linkedTo(policy.ID)
          .map(({ role }) => role.ID)
          .toSorted()
      ]),
      roles.list(space).map(row => row.json(views)),
      tokens
        .list(space)
        .map(row => [row.json(views, false), row.listJson(views, true), String(row.expiresAt)]),
      authMethods
        .list(space)
        .map(({ method }) => [
          method,
          tokens.createdByLogin(space, method.Name).map(({ secret }) => secret),
          bindingRules.ofMethod(space, method.Name).map(({ rule }) => rule.ID),
          sorted(oidcRequests.ofMethod(space, method.Name))
        ]),
      bindingRules.list(space).map(({ json, listJson }) => [json, listJson])
    ]),
    IDS.map(n => oidcRequests.withState(`state ${n}`) ?? null),
    sorted([...tokens.expiring()].map(({ secret }) => secret)),
    views.access.bootstrap ?? null,
    views.cluster.id,
    views.retainedLog.retention ?? null,
    views.replication.position ?? null
  ]
}

/** Times after now, in ms, within the lock-delays that histories have. */
const LATER = [0, 500, 1000, 5000, 10_000, 15_000, 30_000, 59_000]

const keyAnswers = ({ kv, sessions }: Views, now: number): unknown => [
  SPACES.map(space => [
    kv.indexOf(space),
    PREFIXES.map(prefix => [
      prefix,
      kv.indexUnder(space, prefix),
      Array.from(kv.walk(space, prefix), row => row.json)
    ]),
    KEYS.map(key => LATER.map(ms => kv.isDelayed(space, key, now + ms))),
    sessions.indexOf(space),
    sessions.list(space).map(({ json }) => json)
  ]),
  PARTITIONS.map(partition => [
    kv.namespaces(partition),
    sessions.namespaces(partition),
    NAMES.concat('n', 'm', 'far').map(node => sessions.onNode(partition, node).map(({ json }) => json))
  ]),
  SPACES.map(space => IDS.map(n => kv.heldBy(space, id(400 + n)).map(row => row.json))),
  kv.size,
  sessions.index
]

const catalogAnswers = ({ catalog, coordinates, addresses, instances }: Views): unknown => [
  PARTITIONS.map(partition => [
    catalog.nodes.indexOf(partition),
    coordinates.indexOf(partition),
    Array.from(coordinates.inOrder(partition), row => row.coordinate),
    catalog.namespaces(partition),
    catalog.nodes
      .list(partition)
      .map(({ host, id: own }) => [
        host.state,
        host.json,
        own === undefined ? null : (catalog.nodeById(own) ?? null),
        catalog.servicesOn(partition, host.name),
        catalog.checksOn(partition, host.name),
        catalog.nodes.hostByIdPrefix(partition, (own ?? '').slice(0, -1))?.name ?? null
      ])
  ]),
  SPACES.map(space => [
    Array.from(catalog.checksBehind(space), ({ json }) => json),
    ['passing', 'warning', 'critical'].map(status =>
      sorted([...catalog.checksInState(space, status)].map(({ json }) => json))
    ),
    Array.from(catalog.space(space).byName.from(), ({ tags }) => [...tags]),
    NAMES.map(name => [
      catalog.serviceIndex(space, 'name', name),
      catalog.serviceIndex(space, 'connect', name),
      sorted([...catalog.checksOfService(space, name)].map(({ json }) => json)),
      catalog
        .space(space)
        .byName.get(name)
        ?.rows.map(row => [row.healthJson, row.flatJson, row.isPassing]) ?? null,
      runAtOnce(instances.connect(space, name)).map(({ json }) => json.toString())
    ])
  ]),
  IDS.map(n => [addresses.nodesAt(`10.0.0.${n}`), addresses.servicesAt(`10.1.0.${n}`)])
]

const configAnswers = ({ config, chains, queries, partitions, namespaces }: Views): unknown => [
  config.index,
  SPACES.map(space => [
    config.indexOf(space),
    CONFIG_KINDS.map(kind => [
      config.list(kind, space).map(({ json }) => json),
      NAMES.map(name => [
        config.indexOfMention(kind, serviceKey(name, space)),
        sorted([...config.naming(kind, serviceKey(name, space))].map(({ json }) => json))
      ])
    ]),
    NAMES.map(service => {
      const { result, watch } = chains.get({
        service,
        tenancy: space,
        datacenter: 'dc1',
        homeDatacenter: 'dc1'
      })
      return ['json' in result ? result.json : result.error.message, watch]
    })
  ]),
  PARTITIONS.map(partition => [
    config.indexOfPartition(partition),
    sorted(config.dependents.of(partition)),
    sorted(config.unchecked.of(partition)),
    config.unchecked.hasDefaults(partition),
    namespaces.indexOf(partition),
    namespaces.list(partition).map(({ namespace }) => namespace)
  ]),
  config.unchecked.isEmpty,
  partitions.index,
  partitions.list().map(({ json }) => json),
  sorted([...partitions.ending()].map(({ json }) => json)),
  sorted([...namespaces.ending()].map(({ namespace }) => namespace)),
  queries.index,
  Array.from(queries.behind(undefined), row => row.json(true)),
  NAMES.map(name => [
    queries.named(name)?.query.ID ?? null,
    queries.templateFor(`${name}x`)?.query.ID ?? null
  ]),
  IDS.map(n => queries.ofSession(id(400 + n)).map(({ query }) => query.ID))
]

/** @param now time of the last commit, epoch milliseconds: delays that ended before are none */
export const queryResultsOf = (views: Views, now: number): readonly unknown[] => [
  views.index,
  aclAnswers(views),
  keyAnswers(views, now),
  catalogAnswers(views),
  configAnswers(views)
]
