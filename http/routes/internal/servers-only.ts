// Endpoints that only other servers of the cluster may ask.
import { Refusal } from '../../../actors/refusal.js'
import { otherServer } from '../../wire/contact.js'
import type { RequestContext } from '../../wire/request-context.js'

/**
 * A client's request that a worker has sent on is no other server's.
 * @param what they may ask, such as `ask for its log`
 * @throws Refusal `denied` unless another server of the cluster asks
 */
export const requireServer = ({ incoming, settings }: RequestContext, what: string): void => {
  if (!otherServer(incoming.sender, settings.node_id))
    throw new Refusal('denied', `Permission denied: only servers of the cluster may ${what}`)
}
