// Configuration entries (spec: config.md §1).
import { refusedWith, json } from '../../wire/response.js'
import { isSameContent } from '../../../actors/config-entry/entry-change.js'
import { configEntryRef } from '../../../actors/config-entry/config-entry.js'
import { dryRunEntry } from '../../../actors/config-entry/dry-run.js'
import {
  CONFIG_ENTRY_TOPIC,
  CONFIG_KINDS,
  nameOfEntry,
  type ConfigKind
} from '../../../events/config-entry.js'
import type { Tenancy } from '../../../events/envelope.js'
import type { EntryRow } from '../../../projections/config/rows.js'
import type { DecodedEntry } from '../../../projections/config/kinds/all.js'
import { entryWatchKey, tenancyOfKind } from '../../../projections/config/names.js'
import {
  deletePermissionsOf,
  readPermissionsOf,
  writePermissionsOf
} from '../../../projections/config/entry-permissions.js'
import { spaceOf } from '../../../projections/row-table.js'
import { respondToRead, reading, type ListState } from '../../wire/reads/blocking.js'
import {
  casOf,
  entryIn,
  entryTenancy,
  entryKeyOf,
  kindIn,
  mayReadEntry,
  nameIn,
  withRefusal,
  requireEntryPermissions
} from './entry-request.js'
import { readable } from '../../wire/reads/filter.js'
import { readableList } from '../../wire/reads/json-list.js'
import { readableSteps, type PagePart } from '../../wire/reads/page.js'
import { historyOfResource, historyOfList, resourcesIn } from '../../wire/history-declaration.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, route, PRIMARY_WRITE, type Route } from '../../wire/route.js'
import { present, unsigned64 } from '../../wire/query.js'
import {
  configEntries,
  configEntry,
  configEntryBody,
  deletedEntry,
  writtenEntry
} from '../../schemas/config.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'

const facts = { tag: 'Configuration entries', tenancy: 'many' } as const
const READ_NOTE =
  'service:read on the name; intention:read for service-intentions; operator:read for exported-services; none for ' +
  'proxy-defaults and mesh'
const WRITE_NOTE =
  'service:write on the name, and service:read on other services that it routes to; intention:write for ' +
  'service-intentions; operator:write for gateways, proxy-defaults, mesh and exported-services'
const read = {
  ...facts,
  method: 'GET',
  access: anyToken(READ_NOTE),
  blocking: true,
  consistency: 'all',
  isConfined: true
} as const
const write = {
  ...facts,
  ...PRIMARY_WRITE,
  access: anyToken(WRITE_NOTE)
} as const
const CAS = 'Act only if this is the index of the last change of the entry'

/** Returns the text of an entry in a list. With `ns=*` it includes its namespace. */
const listed = ({ entry, tenancy, json: text }: EntryRow, isOfAll: boolean): string =>
  isOfAll && tenancy.namespace === 'default' ? JSON.stringify({ ...entry, Namespace: 'default' }) : text

/** Returns the index of the requested entries of a kind, or of all kinds, in their namespaces. */
const indexOf = ({ views, tenancy }: RequestContext, kind: ConfigKind | undefined): number => {
  const { config } = views
  if (tenancy.namespace === ALL_NAMESPACES) return config.indexOfPartition(tenancy.partition)
  const homes = (kind ? [kind] : CONFIG_KINDS).map(one => tenancyOfKind(one, tenancy))
  return Math.max(...homes.map(home => config.indexOf(home)))
}

const listWatch = (kind: ConfigKind, tenancy: Tenancy): string =>
  tenancy.namespace === ALL_NAMESPACES
    ? `config/${kind}`
    : `config/${kind}/${spaceOf(tenancyOfKind(kind, tenancy))}`

/** Returns the parts of a list: the entries of a kind, with `ns=*` by namespace. */
const partsOf = (
  { views, tenancy }: RequestContext,
  kind: ConfigKind,
  isOfKinds: boolean
): readonly PagePart<EntryRow>[] => {
  const { config } = views
  const { partition, namespace } = tenancy
  if (namespace !== ALL_NAMESPACES)
    return [{ name: isOfKinds ? kind : '', behind: after => config.behind(kind, tenancy, after) }]
  return config.namespaces(kind, partition).map(name => ({
    name: isOfKinds ? `${kind}:${name}` : name,
    behind: after => config.behind(kind, { partition, namespace: name }, after)
  }))
}

/**
 * Returns a list of one kind, or of all if `only` returns undefined. A wait ends only when the visible entries change.
 */
const answerList = (request: RequestContext, only: () => ConfigKind | undefined) =>
  respondToRead(request, (): ListState => {
    const { config } = request.views
    const { tenancy } = request
    const isOfAll = tenancy.namespace === ALL_NAMESPACES
    const kind = only()
    const kinds = kind ? [kind] : CONFIG_KINDS
    const found = readableSteps(request, {
      all: () =>
        kinds.flatMap(one => (isOfAll ? config.listAll(one, tenancy.partition) : config.list(one, tenancy))),
      parts: kinds.flatMap(one => partsOf(request, one, kind === undefined)),
      keyOf: row => row.name.toLowerCase(),
      may: ({ entry, name, tenancy: home }) => mayReadEntry(request, entry.Kind, name, home)
    })
    const watch = kind ? listWatch(kind, tenancy) : 'config'
    const steps = readableList(found, row => listed(row, isOfAll))
    return { index: indexOf(request, kind), watch: [watch], steps, isComparedByBody: true }
  })

/** Returns the effects of a write without chains of services that the caller may not read. */
const answerTrial = (
  request: RequestContext,
  entry: DecodedEntry,
  tenancy: Tenancy,
  cas: number | undefined
) => {
  request.usage.end()
  const { content, dryRun } = withRefusal('Bad request: Invalid config entry: ', () =>
    dryRunEntry(request.views, entry, tenancy, cas)
  )
  requireEntryPermissions(request, writePermissionsOf(request.views.config, content, tenancy))
  const { Chains, ...rest } = dryRun()
  const { entries, headers } = readable(request, Chains, ({ Service, Namespace }) =>
    request.may('service', 'read', Service, { partition: tenancy.partition, namespace: Namespace })
  )
  return json({ ...rest, Chains: entries }, headers)
}

export const configRoutes: readonly Route[] = [
  {
    ...write,
    method: 'PUT',
    path: '/v1/config',
    operationId: 'writeConfigEntry',
    summary: 'Store a configuration entry',
    query: {
      cas: unsigned64('Store only if this is the index of its last change, or with 0 if there is none'),
      'dry-run': present(
        'Store nothing; tell what would be stored, every error, and what would become of discovery chains'
      )
    },
    body: { schema: configEntryBody, name: 'Config entry' },
    response: writtenEntry,
    handle: request => {
      const entry = entryIn(request)
      const cas = casOf(request)
      request.useBodyTenancy(entry)
      const tenancy = entryTenancy(request.tenancy, entry.kind)
      if (request.query.has('dry-run')) return answerTrial(request, entry, tenancy, cas)
      const content = withRefusal('Bad request: Invalid config entry: ', () => entry.settle(tenancy))
      const { config } = request.views
      requireEntryPermissions(request, writePermissionsOf(config, content, tenancy))
      withRefusal('Bad request: Invalid config entry: ', entry.checkBody)
      const command = request.command('SetConfigEntry', { content, cas }, { ...request.tenancy, ...tenancy })
      return request.write(configEntryRef(command.tenancy, content.Kind, nameOfEntry(content)), command, () =>
        json(isSameContent(config.row(content.Kind, nameOfEntry(content), tenancy), content))
      )
    }
  },
  route({
    ...read,
    // Without the slash the path has only PUT.
    path: '/v1/config/',
    operationId: 'listAllConfigEntries',
    isPaged: true,
    summary: 'List the configuration entries of all kinds',
    past: historyOfList([CONFIG_ENTRY_TOPIC], 'partition'),
    response: configEntries,
    handle: request => answerList(request, () => undefined)
  }),
  route({
    ...read,
    path: '/v1/config/:kind',
    operationId: 'listConfigEntries',
    isPaged: true,
    summary: 'List the configuration entries of a kind',
    past: {
      needs: request => [resourcesIn(request, [CONFIG_ENTRY_TOPIC], 'partition', `${kindIn(request)}/`)]
    },
    response: configEntries,
    handle: request => answerList(request, () => kindIn(request))
  }),
  route({
    ...read,
    path: '/v1/config/:kind/*name',
    operationId: 'readConfigEntry',
    summary: 'Read a configuration entry',
    past: historyOfResource(request => {
      const kind = kindIn(request)
      return entryKeyOf(kind, nameIn(request), entryTenancy(request.tenancy, kind))
    }),
    response: configEntry,
    handle: request => {
      const name = nameIn(request)
      return respondToRead(request, () => {
        const { config } = request.views
        const given = request.tenancy
        const kind = kindIn(request)
        const tenancy = entryTenancy(given, kind)
        requireEntryPermissions(request, readPermissionsOf(config, kind, name, tenancy))
        const row = config.row(kind, name, tenancy)
        const watch = [entryWatchKey(kind, name, tenancy)]
        if (row) return reading(row.json, indexOf(request, kind), watch)
        const answer = refusedWith(
          'config.not-found',
          `Config entry not found for ${JSON.stringify(`${kind}/${name}`)}`
        )
        return { index: indexOf(request, kind), watch, answer }
      })
    }
  }),
  route({
    ...write,
    method: 'DELETE',
    path: '/v1/config/:kind/*name',
    aliases: ['/v1/config/:kind', '/v1/config/'],
    operationId: 'deleteConfigEntry',
    summary: 'Delete a configuration entry',
    query: { cas: unsigned64(`${CAS}; 0 deletes nothing`) },
    response: deletedEntry,
    handle: request => {
      const name = nameIn(request)
      const kind = kindIn(request)
      const cas = casOf(request)
      const tenancy = entryTenancy(request.tenancy, kind)
      const { config } = request.views
      requireEntryPermissions(request, deletePermissionsOf(config, kind, name, tenancy))
      const command = request.command(
        'DeleteConfigEntry',
        { kind, name, cas },
        { ...request.tenancy, ...tenancy }
      )
      return request.write(configEntryRef(command.tenancy, kind, name), command, () =>
        json(cas === undefined ? {} : !config.row(kind, name, tenancy))
      )
    }
  })
]
