// The servers of the datacenter as they are. `/v1/agent/members` has what clients of Consul expect.
import type { Schemas } from '../../typescript/typed/index.js'
import { hasStatus } from '../console.js'
import type { Run } from './command.js'

/** Returns no fields for servers without this endpoint. */
export const datacenterOf = async (read: Run['read']): Promise<Partial<Schemas['OwnDatacenter']>> => {
  try {
    return await read('/v1/internal/datacenter')
  } catch (error) {
    if (hasStatus(error, 404, 405)) return {}
    throw error
  }
}
