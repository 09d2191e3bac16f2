// How the main process of a server with workers takes requests: all are answered here, also those that its workers send on.
import type { IncomingMessage } from 'node:http'
import type { ServerProofs } from '../members/server-proof.js'
import {
  NO_PEER_CONTACT,
  type PeerContact,
  type Forwarded,
  type SenderFault
} from '../../../http/wire/contact.js'
import type { RequestRouting, AnswerLocation } from '../../../http/wire/request-routing.js'

export class MainRequests implements RequestRouting {
  readonly deadline = Infinity

  /** @param senders with the secret that the workers have */
  constructor(private readonly senders: ServerProofs) {}

  senderFault(request: IncomingMessage): SenderFault | undefined {
    return this.senders.faultOf(request)
  }

  senderOf(request: IncomingMessage): Forwarded | undefined {
    return this.senders.of(request)
  }

  locationOf(): AnswerLocation {
    return 'here'
  }

  isLeading(): boolean {
    return true
  }

  untilNewest(): Promise<void> {
    return Promise.resolve()
  }

  forward(): Promise<'here'> {
    return Promise.resolve('here')
  }

  tunnel(): Promise<'here'> {
    return Promise.resolve('here')
  }

  contact(): PeerContact {
    return NO_PEER_CONTACT
  }

  isCountedBySender(request: IncomingMessage): boolean {
    return this.senders.of(request) !== undefined
  }

  forDns(): undefined {
    return undefined
  }
}
