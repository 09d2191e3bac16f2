// The overrides of a chain, and the hash of the effective ones (spec: config.md §6.2).

/** Empty texts and 0 override nothing. */
export interface Overrides {
  readonly protocol: string
  /** Nanoseconds. */
  readonly connectTimeout: number
  readonly meshGatewayMode: string
}

export const NO_OVERRIDES: Overrides = Object.freeze({ protocol: '', connectTimeout: 0, meshGatewayMode: '' })

const FNV_OFFSET = 14695981039346656037n
const FNV_PRIME = 1099511628211n
const MASK = 2n ** 64n - 1n

const fnv = (bytes: Uint8Array): bigint => {
  let hash = FNV_OFFSET
  for (const byte of bytes) hash = ((hash * FNV_PRIME) & MASK) ^ BigInt(byte)
  return hash
}

const ofText = (text: string): bigint => fnv(Buffer.from(text))

const ofNumber = (value: bigint): bigint => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return fnv(bytes)
}

const ofPair = (a: bigint, b: bigint): bigint => {
  const bytes = Buffer.alloc(16)
  bytes.writeBigUInt64LE(a)
  bytes.writeBigUInt64LE(b, 8)
  return fnv(bytes)
}

/** Returns eight hexadecimal digits that depend on the overrides only. */
export const customizationHash = ({ protocol, connectTimeout, meshGatewayMode }: Overrides): string => {
  const mode = ofText('MeshGatewayConfig') ^ ofPair(ofText('Mode'), ofText(meshGatewayMode))
  const hash =
    ofText('') ^
    ofPair(ofText('OverrideMeshGateway'), mode) ^
    ofPair(ofText('OverrideProtocol'), ofText(protocol)) ^
    ofPair(ofText('OverrideConnectTimeout'), ofNumber(BigInt(Math.trunc(connectTimeout))))
  return hash.toString(16).slice(0, 8)
}
