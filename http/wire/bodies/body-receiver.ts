import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { LOGGER } from '../../../server/settings/ports.js'
import { Refusal } from '../../../actors/refusal.js'
import { DATACENTER_ROUTING, type DatacenterRouting } from '../datacenter-routing.js'
import { REQUEST_ROUTING, type RequestRouting } from '../request-routing.js'
import type { PipelinedRequest } from '../pipelined-request.js'
import {
  BodyAborted,
  BodyFiles,
  BodyMemoryLimit,
  bodySizeLimitOf,
  collectBody,
  exceedsContentLength,
  sendContinue,
  tooLarge,
  type BodySettled,
  type BodySizeLimit
} from './request-body.js'

@scoped(Lifecycle.ContainerScoped)
export class BodyReceiver {
  constructor(
    private readonly budget: BodyMemoryLimit,
    private readonly files: BodyFiles,
    @inject(LOGGER) private readonly logger: Logger,
    @inject(REQUEST_ROUTING, { isOptional: true }) private readonly routing: RequestRouting | undefined,
    @inject(DATACENTER_ROUTING, { isOptional: true })
    private readonly datacenters: DatacenterRouting | undefined
  ) {}

  /**
   * Receives the body of a request after it is admitted. `pending`, also by the promise: `settled` is called, unless the body breaks off.
   * @throws Refusal, also by the promise
   */
  receive(request: PipelinedRequest, settled: BodySettled): 'pending' | Promise<'pending' | undefined> {
    const { admit, bodyLimit } = request.served.route
    const limit = bodySizeLimitOf(request.settings.limits, bodyLimit)
    try {
      this.#admit(request, limit)
    } catch (error) {
      const { routing } = this
      if (!routing || routing.isLeading() || !(error instanceof Refusal) || error.kind !== 'denied')
        throw error
      // The token may be newer than this server's state.
      return routing.untilNewest().then(() => {
        request.forgetAuthority()
        this.#admit(request, limit)
        return admit ? this.#store(request, limit) : this.#collect(request, limit, settled)
      })
    }
    return admit ? this.#store(request, limit) : this.#collect(request, limit, settled)
  }

  /** Receives a body into memory without regard to the caller. @throws Refusal, also by the promise */
  collect(request: PipelinedRequest): Promise<undefined> {
    const limit = bodySizeLimitOf(request.settings.limits, request.served.route.bodyLimit)
    if (exceedsContentLength(request.message, limit)) throw tooLarge(request.message, limit)
    return new Promise((resolve, reject) => {
      this.#collect(request, limit, failure => (failure ? reject(failure) : resolve(undefined)))
    })
  }

  /** @throws Refusal if the caller may not send the body */
  #admit(request: PipelinedRequest, limit: BodySizeLimit): void {
    const { route } = request.served
    // An unknown token may be known in the datacenter that decides.
    if (!this.datacenters || !route.belongsTo) request.checkToken(route.access)
    route.admit?.(request)
    if (exceedsContentLength(request.message, limit)) throw tooLarge(request.message, limit)
  }

  #collect(request: PipelinedRequest, limit: BodySizeLimit, settled: BodySettled): 'pending' {
    if (request.headers.expect !== undefined) sendContinue(request.message, request.response)
    collectBody(request, limit, this.budget, settled)
    return 'pending'
  }

  async #store(request: PipelinedRequest, limit: BodySizeLimit): Promise<'pending' | undefined> {
    sendContinue(request.message, request.response)
    try {
      const file = await this.files.receive(request.message, limit)
      request.receive(file, () => {
        file
          .remove()
          .catch(error =>
            this.logger.error({ err: error }, 'the file of a request body could not be deleted')
          )
      })
      return undefined
    } catch (error) {
      if (error instanceof BodyAborted) return 'pending'
      throw error
    }
  }
}
