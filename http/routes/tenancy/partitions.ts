// Admin partitions (spec: tenancy.md §4).
import { partitionRef } from '../../../actors/partition.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import type { Tenancy } from '../../../events/envelope.js'
import { ANONYMOUS_ACCESSOR } from '../../../events/token.js'
import { crudRoutes, requireSame } from '../crud.js'
import { empty, jsonText, type RouteResponse } from '../../wire/response.js'
import { respondImmediately, reading } from '../../wire/reads/blocking.js'
import { historyOfResource, historyOfList, clusterResource } from '../../wire/history-declaration.js'
import type { RequestContext } from '../../wire/request-context.js'
import { requires, inputsOf } from '../../wire/route.js'
import { PARTITION_TOPIC, partitionDefinition } from '../../../events/namespace.js'
import type { RequestBodyOf } from '../../../events/definition/types.js'
import { remotePrimary } from '../../../server/settings/datacenters.js'

const facts = { tag: 'Admin partitions', tenancy: 'none' } as const
const read = { ...facts, access: requires('operator:read'), consistency: 'consistent' } as const
const write = { ...facts, access: requires('operator:write') } as const
type PartitionBody = RequestBodyOf<typeof partitionDefinition.fields>
const inputOf = inputsOf(partitionDefinition)

const called = (name: string): Tenancy => ({ partition: name.toLowerCase(), namespace: 'default' })

/** @throws Refusal `invalid` for a new partition in a secondary datacenter */
const set = (request: RequestContext, given: PartitionBody, tenancy: Tenancy): RouteResponse => {
  const { views } = request
  const primary = remotePrimary(request.settings)
  if (primary !== undefined && !views.partitions.get(tenancy.partition))
    throw invalid(
      'tenancy.invalid',
      `Partition "${tenancy.partition}" cannot be created here: partitions exist only in the primary datacenter "${primary}"`
    )
  const command = request.command('SetPartition', inputOf(given), tenancy)
  return request.write(partitionRef(tenancy), command, () =>
    jsonText(views.partitions.get(tenancy.partition)?.json ?? 'null')
  )
}

/** A token may always see the partition that it belongs to. */
const isOwn = (request: RequestContext, name: string): boolean => {
  const { token } = request.authority
  return (
    token !== undefined && token.token.AccessorID !== ANONYMOUS_ACCESSOR && token.tenancy.partition === name
  )
}

export const partitionRoutes = crudRoutes({
  shape: partitionDefinition,
  plural: 'Partitions',
  paths: ['/v1/partition', '/v1/partitions'],
  key: { parameter: 'name', label: 'partition Name' },
  createsBySlash: false,
  create: {
    ...write,
    summary: 'Create or replace a partition',
    handle: (request, given) => {
      request.require('operator', 'write')
      return set(request, given, called(given.Name ?? ''))
    }
  },
  read: {
    ...read,
    access: requires('operator:read', 'or a token of the partition itself'),
    summary: 'Read a partition',
    past: historyOfResource(request => clusterResource(PARTITION_TOPIC, request.param('name').toLowerCase())),
    handle: (request, key) => {
      const name = key.toLowerCase()
      const { partitions } = request.views
      if (!isOwn(request, name)) request.require('operator', 'read')
      const row = partitions.get(name)
      if (!row) throw new Refusal('partition.not-found', `Partition "${name}" does not exist`)
      return respondImmediately(reading(row.json, partitions.index, []))
    }
  },
  update: {
    ...write,
    summary: 'Create or replace the partition of this name',
    handle: (request, given, name) => {
      const tenancy = called(name)
      request.require('operator', 'write')
      requireSame(partitionDefinition, 'Name', given.Name?.toLowerCase(), tenancy.partition)
      return set(request, given, tenancy)
    }
  },
  remove: {
    ...write,
    summary: 'Delete a partition with everything in it, in the background',
    handle: (request, name) => {
      const tenancy = called(name)
      request.require('operator', 'write')
      return request.write(partitionRef(tenancy), request.command('DeletePartition', null, tenancy), () =>
        empty(200)
      )
    }
  },
  list: {
    ...read,
    summary: 'List the partitions',
    past: historyOfList([PARTITION_TOPIC], 'cluster'),
    handle: request => {
      const { partitions } = request.views
      request.require('operator', 'read')
      const entries = partitions.list().map(row => row.json)
      return respondImmediately(reading(`[${entries.join(',')}]`, partitions.index, []))
    }
  }
})
