// Admin partitions (spec: tenancy.md §4).
import * as Type from 'typebox'
import { partitionRef } from '../../../actors/partition.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import type { Tenancy } from '../../../events/envelope.js'
import { ANONYMOUS_ACCESSOR } from '../../../events/token.js'
import { empty, jsonText, type Answer } from '../../wire/answer.js'
import { answerAtOnce, reading } from '../../wire/reads/blocking.js'
import type { ApiRequest } from '../../wire/request.js'
import { bodyRoute, needs, route, type Route } from '../../wire/route.js'
import { answerSchema, bodySchema, entrySchema } from '../../schemas/shapes.js'
import { inputsOf } from '../../wire/bodies/input.js'
import { partitionShape } from '../../../events/partition.js'
import type { Given } from '../../../events/shape/types.js'

const facts = { tag: 'Admin partitions', caching: 'none', blocking: false, tenancy: 'none' } as const
const read = { ...facts, access: needs('operator:read'), consistency: 'consistent' } as const
const write = { ...facts, access: needs('operator:write'), consistency: 'none' } as const
const body = { schema: bodySchema(partitionShape), name: partitionShape.name }
type PartitionBody = Given<typeof partitionShape.fields>
const partition = answerSchema(partitionShape)
const inputOf = inputsOf(partitionShape)

const called = (name: string): Tenancy => ({ partition: name.toLowerCase(), namespace: 'default' })

const nameOf = (request: ApiRequest): string => {
  const name = request.param('name')
  if (name === '') throw invalid('Bad request: Missing partition Name')
  return name
}

const set = (request: ApiRequest, given: PartitionBody, tenancy: Tenancy): Answer => {
  const { views } = request
  const command = request.command('SetPartition', inputOf(given), tenancy)
  return request.write(partitionRef(tenancy), command, () =>
    jsonText(views.partitions.get(tenancy.partition)?.json ?? 'null')
  )
}

/** A token may always see the partition that it belongs to. */
const isOwn = (request: ApiRequest, name: string): boolean => {
  const { token } = request.authority
  return (
    token !== undefined && token.token.AccessorID !== ANONYMOUS_ACCESSOR && token.tenancy.partition === name
  )
}

export const partitionRoutes: readonly Route[] = [
  bodyRoute({
    ...write,
    method: 'PUT',
    path: '/v1/partition',
    operationId: 'createPartition',
    summary: 'Create or replace a partition',
    body,
    response: partition,
    handle: (request, given) => {
      request.require('operator', 'write')
      return set(request, given, called(given.Name ?? ''))
    }
  }),
  bodyRoute({
    ...write,
    method: 'PUT',
    path: '/v1/partition/:name',
    aliases: ['/v1/partition/'],
    operationId: 'updatePartition',
    summary: 'Create or replace the partition of this name',
    body,
    response: partition,
    handle: (request, given) => {
      const tenancy = called(nameOf(request))
      request.require('operator', 'write')
      if (given.Name && given.Name.toLowerCase() !== tenancy.partition)
        throw invalid('Bad request: Partition Name in URL and payload do not match')
      return set(request, given, tenancy)
    }
  }),
  route({
    ...read,
    access: needs('operator:read', 'or a token of the partition itself'),
    method: 'GET',
    path: '/v1/partition/:name',
    aliases: ['/v1/partition/'],
    operationId: 'readPartition',
    summary: 'Read a partition',
    response: partition,
    handle: request => {
      const name = nameOf(request).toLowerCase()
      const { partitions } = request.views
      if (!isOwn(request, name)) request.require('operator', 'read')
      const row = partitions.get(name)
      if (!row) throw new Refusal('missing', `Partition "${name}" does not exist`)
      return answerAtOnce(reading(row.json, partitions.index, []))
    }
  }),
  route({
    ...write,
    method: 'DELETE',
    path: '/v1/partition/:name',
    aliases: ['/v1/partition/'],
    operationId: 'deletePartition',
    summary: 'Delete a partition with everything in it, in the background',
    handle: request => {
      const tenancy = called(nameOf(request))
      request.require('operator', 'write')
      return request.write(partitionRef(tenancy), request.command('DeletePartition', null, tenancy), () =>
        empty(200)
      )
    }
  }),
  route({
    ...read,
    method: 'GET',
    path: '/v1/partitions',
    operationId: 'listPartitions',
    summary: 'List the partitions',
    response: Type.Array(entrySchema(partitionShape)),
    handle: request => {
      const { partitions } = request.views
      request.require('operator', 'read')
      const entries = partitions.list().map(row => row.json)
      return answerAtOnce(reading(`[${entries.join(',')}]`, partitions.index, []))
    }
  })
]
