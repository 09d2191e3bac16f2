// DNS records and answers.

interface Named {
  readonly name: string
  readonly ttl: number
}

interface AddressRecord extends Named {
  readonly type: 'A' | 'AAAA'
  readonly data: string
}
interface NameRecord extends Named {
  readonly type: 'CNAME' | 'NS' | 'PTR'
  readonly data: string
}
interface ServiceRecord extends Named {
  readonly type: 'SRV'
  readonly data: {
    readonly priority: number
    readonly weight: number
    readonly port: number
    readonly target: string
  }
}
interface TextRecord extends Named {
  readonly type: 'TXT'
  readonly data: string
}
interface AuthorityRecord extends Named {
  readonly type: 'SOA'
  readonly data: {
    readonly mname: string
    readonly rname: string
    readonly serial: number
    readonly refresh: number
    readonly retry: number
    readonly expire: number
    readonly minimum: number
  }
}

export type DnsRecord = AddressRecord | NameRecord | ServiceRecord | TextRecord | AuthorityRecord

export type ResponseCode = 'NOERROR' | 'FORMERR' | 'SERVFAIL' | 'NXDOMAIN' | 'NOTIMP' | 'REFUSED' | 'BADVERS'

/** An answer before truncation and encoding. */
export interface Reply {
  readonly rcode: ResponseCode
  /** The name is in a domain of this server (AA). */
  readonly authoritative: boolean
  readonly answers: readonly DnsRecord[]
  readonly authority: readonly DnsRecord[]
  readonly additional: readonly DnsRecord[]
  /** The answer depends on the client's subnet. */
  readonly bySubnet?: boolean
  /** Sets the RA bit without recursors (queries.md §8.5). */
  readonly recursion?: boolean
}

const NONE: readonly DnsRecord[] = []

export const reply = (rcode: ResponseCode, parts: Partial<Omit<Reply, 'rcode'>> = {}): Reply => ({
  rcode,
  authoritative: true,
  answers: NONE,
  authority: NONE,
  additional: NONE,
  ...parts
})
