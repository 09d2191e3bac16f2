// What a process knows of the others that it works with, servers of a cluster or processes of its own server: which of them has sent a
// request, and how long ago it was certain to show the newest.
import type { IncomingMessage } from 'node:http'

/** What another server, or another process of this one, tells of a request that it sends on. */
export interface Forwarded {
  /** ID of the node of the server that was asked. */
  readonly id: string
  /** Name of its node: agent endpoints are about that one. */
  readonly node: string
  /** Address of the client; '' where the server asks for itself. */
  readonly address: string
}

/** Why a request that names a server as its sender is refused. */
export interface SenderFault {
  readonly text: string
  /** Whether the signature is right, and its time too far from this server's. */
  readonly isOfClock: boolean
}

/**
 * The other server that has sent a request; undefined where a client has, also through another process of this server.
 * @param own ID of the node of this server
 */
export const otherServer = (sender: Forwarded | undefined, own: string): Forwarded | undefined =>
  sender?.id === own ? undefined : sender

/** What answers of reads tell of the leader. */
export interface PeerContact {
  readonly isLeaderKnown: boolean
  /** For how long, in whole ms, nothing has proved that what is shown is the newest. */
  readonly lastContact: number
}

/** Of a server that decides by itself. */
export const NO_PEER_CONTACT: PeerContact = { isLeaderKnown: true, lastContact: 0 }

/** As headers of an answer: names and values in turn. */
export const contactHeaders = ({ isLeaderKnown, lastContact }: PeerContact): readonly string[] => [
  'X-Service-KnownLeader',
  String(isLeaderKnown),
  'X-Service-LastContact',
  String(lastContact)
]

export interface Contacts {
  /** What whoever has sent a request on tells of it, when that was proved; undefined for requests of clients. */
  senderOf(request: IncomingMessage): Forwarded | undefined

  contact(): PeerContact
}

/** The token of `WHO_ANSWERS`, for those who ask for this alone. */
export const CONTACTS = Symbol('WhoAnswers')
