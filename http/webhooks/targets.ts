// Validation of webhook URLs, and creation of their secrets.
import { Lifecycle, scoped } from 'tsyringe'
import { Ids } from '../../actors/ids.js'
import { Destinations } from '../../actors/outgoing/destinations.js'
import { invalid } from '../../actors/refusal.js'
import { SECRET_BYTES, secretOf } from '../../actors/webhook/signature.js'
import { targetFault } from '../../actors/webhook/target.js'
import type { RequestContext } from '../wire/request-context.js'

@scoped(Lifecycle.ContainerScoped)
export class WebhookTargets {
  constructor(
    private readonly destinations: Destinations,
    private readonly ids: Ids
  ) {}

  /**
   * Validates the URL of a webhook. Other permissions must be checked afterwards: a DNS lookup takes time, in which a token may be deleted.
   * @throws Refusal `denied`; `invalid` for a malformed URL or a forbidden destination
   */
  async check(request: RequestContext, url: string): Promise<void> {
    request.require('operator', 'write')
    const fault = await targetFault(url, this.destinations)
    request.forgetAuthority()
    request.require('operator', 'write')
    if (fault !== undefined) throw invalid(`Invalid Cursor: ${fault}`)
  }

  newSecret(): string {
    return secretOf(Buffer.from(this.ids.hex(SECRET_BYTES), 'hex'))
  }
}
