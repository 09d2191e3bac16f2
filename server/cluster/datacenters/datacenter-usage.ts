import { Lifecycle, scoped } from 'tsyringe'
import type { UsageDatacenters } from '../../../http/wire/collected-usage.js'
import { textOf } from '../transport/response-text.js'
import { DatacenterRequests } from './datacenter-requests.js'

const MAX_BYTES = 64 * 1024 * 1024

/** Asks other datacenters for the questions that tokens asked there. */
@scoped(Lifecycle.ContainerScoped)
export class DatacenterUsage implements UsageDatacenters {
  constructor(private readonly requests: DatacenterRequests) {}

  /** @throws Refusal if it cannot be reached; Error if the answer is too long or breaks off */
  async ask(
    ...[datacenter, url, secret, signal]: Parameters<UsageDatacenters['ask']>
  ): ReturnType<UsageDatacenters['ask']> {
    const headers = secret === undefined ? [] : ['X-Service-Token', secret]
    const request = { method: 'GET', url, headers, isLong: true }
    const { answer } = await this.requests.send(datacenter, request, signal)
    const text = await textOf(answer, MAX_BYTES)
    return answer.statusCode === 200 ? Buffer.from(text) : undefined
  }
}
