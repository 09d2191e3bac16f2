// The stored records of the log without secrets, for publications and replicas, which verify them against the tree.
import { Refusal } from '../../../actors/refusal.js'
import { CommitsPruned, type LogReader } from '../../../events/log/log.js'
import { withoutSecrets } from '../../../events/log/evidence/published-records.js'
import { unsigned64 } from '../../wire/query.js'
import type { RouteResponse } from '../../wire/response.js'
import { requires, route, type Route } from '../../wire/route.js'
import { facts, requiredCount } from './evidence.js'

const TYPE = 'application/octet-stream'

/** @throws Refusal `gone` if the commit was pruned */
const page = async (log: LogReader, from: number): Promise<RouteResponse> => {
  try {
    for await (const records of log.records(from))
      return { status: 200, body: Buffer.concat(records.map(withoutSecrets)), type: TYPE, headers: [] }
  } catch (error) {
    if (!(error instanceof CommitsPruned)) throw error
    throw new Refusal(
      'evidence.gone',
      `Commit ${from} is no longer kept: the oldest is ${log.firstIndex}. Start the publication or the replica from one that has it`
    )
  }
  throw new Refusal(
    'evidence.not-found',
    `Not found: from is ${from}, and the log has ${log.durableIndex} commits`
  )
}

export const recordRoutes = (log: LogReader): readonly Route[] => [
  route({
    ...facts,
    access: requires('acl:write'),
    path: '/v1/event/records',
    operationId: 'readRecords',
    summary: 'The stored records of consecutive commits, without secrets: some of them, at least one',
    query: { from: unsigned64('Index of the first commit') },
    rawResponse: {
      type: TYPE,
      description: 'Consecutive records, in the format of the log files, with erased secrets'
    },
    outcomes: { 410: { description: 'The commit was pruned' } },
    handle: request => {
      request.require('acl', 'write')
      return page(log, requiredCount(request, 'from', 'the first commit'))
    }
  })
]
