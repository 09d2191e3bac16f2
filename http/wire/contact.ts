import type { IncomingMessage } from 'node:http'

export interface Forwarded {
  /** Node ID of the server that received the request. */
  readonly id: string
  /** Node name of that server, which agent endpoints are about. */
  readonly node: string
  readonly address: string
}

export interface SenderFault {
  readonly text: string
  /** True if the signature is valid and only its time differs too much from this server's. */
  readonly isOfClock: boolean
}

/**
 * Returns the other server that sent a request; undefined for clients, also through another process of this server.
 * @param own node ID of this server
 */
export const otherServer = (sender: Forwarded | undefined, own: string): Forwarded | undefined =>
  sender?.id === own ? undefined : sender

export interface PeerContact {
  readonly isLeaderKnown: boolean
  /** Milliseconds since the data was last known to be current. */
  readonly lastContact: number
}

export const NO_PEER_CONTACT: PeerContact = { isLeaderKnown: true, lastContact: 0 }

/** Returns the response headers: names and values in turn. */
export const contactHeaders = ({ isLeaderKnown, lastContact }: PeerContact): readonly string[] => [
  'X-Service-KnownLeader',
  String(isLeaderKnown),
  'X-Service-LastContact',
  String(lastContact)
]

export interface Contacts {
  /** Returns the proven sender of a forwarded request; undefined for requests of clients. */
  senderOf(request: IncomingMessage): Forwarded | undefined

  contact(): PeerContact
}

/** The token of `REQUEST_ROUTING` for those who need only this part. */
export const CONTACTS = Symbol('WhoAnswers')
