interface ServiceData {
  readonly priority: number
  readonly weight: number
  readonly port: number
  readonly target: string
}

interface AuthorityData {
  readonly mname: string
  readonly rname: string
  readonly serial: number
  readonly refresh: number
  readonly retry: number
  readonly expire: number
  readonly minimum: number
}

export type DnsRecord = { readonly name: string; readonly ttl: number } & (
  | { readonly type: 'A' | 'AAAA' | 'CNAME' | 'NS' | 'PTR' | 'TXT'; readonly data: string }
  | { readonly type: 'SRV'; readonly data: ServiceData }
  | { readonly type: 'SOA'; readonly data: AuthorityData }
)

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
