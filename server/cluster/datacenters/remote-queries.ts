// Queries that fail over: which datacenters there are, nearest first, and what they find (spec: queries.md §6.4).
import { Lifecycle, scoped } from 'tsyringe'
import { Refusal } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import type { Datacenters, RemoteRun } from '../../../projections/queries/failover.js'
import type { Instance } from '../../../projections/queries/instance.js'
import { INTERNAL_QUERY } from '../../../http/routes/internal/query.js'
import { RemoteAnswers, type RemoteQuestion } from './remote-answers.js'
import { instancesIn } from './remote-instances.js'
import { RoundTrips } from './round-trips.js'

@scoped(Lifecycle.ContainerScoped)
export class RemoteQueries implements Datacenters {

  constructor(private readonly answers: RemoteAnswers, private readonly trips: RoundTrips) {
  }

  nearest(): readonly string[] {
    return this.trips.nearest()
  }

  async run(
    datacenter: string,
    { service, connect, limit, secret }: RemoteRun
  ): Promise<readonly Instance[]> {
    // The attempt could take as long again as the one before.
    if (this.trips.isUnresponsive(datacenter))
      throw new Refusal(
        'unreachable',
        `No path to datacenter: "${datacenter}" did not answer, and no probe has succeeded since`
      )
    // Neither fails over from there, nor is a node there that `Near` could mean.
    const { Failover: _here, Near: _also, ...Service } = service
    const body = { Query: { Service }, Connect: connect, Limit: limit }
    const answered = await this.#ask(datacenter, { url: INTERNAL_QUERY, secret, body })
    const namespace = service.Namespace?.toLowerCase() || DEFAULT_TENANCY.namespace
    return instancesIn(answered, { ...DEFAULT_TENANCY, namespace })
  }

  async #ask(datacenter: string, question: RemoteQuestion): Promise<unknown> {
    try {
      return await this.answers.ask(datacenter, question)
    } catch (error) {
      if (error instanceof Refusal) this.trips.noteUnresponsive(datacenter)
      throw error
    }
  }
}
