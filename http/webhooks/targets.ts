// Who may have this server send events somewhere, and where to.
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
   * Looks whether the caller may have a webhook to this URL. What else the caller may do is to be asked after it: looking up
   * a name takes time, in which a token may have gone.
   * @throws Refusal `denied`; `invalid` for a URL that is none, or leads to where webhooks may not go
   */
  async check(request: RequestContext, url: string): Promise<void> {
    request.require('operator', 'write')
    const fault = await targetFault(url, this.destinations)
    request.forgetAuthority()
    request.require('operator', 'write')
    if (fault !== undefined) throw invalid(`Invalid Cursor: ${fault}`)
  }

  /** A new secret to sign with. */
  newSecret(): string {
    return secretOf(Buffer.from(this.ids.hex(SECRET_BYTES), 'hex'))
  }
}
