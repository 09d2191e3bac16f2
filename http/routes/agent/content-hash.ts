// The ContentHash of an agent's service: FNV-1 of 64 bits over its fields, as the reference makes it, so that whoever
// kept a hash from there finds that nothing changed (spec: state.md §8).
import type { CatalogService } from '../../../events/service.js'

const OFFSET = 0xcbf29ce484222325n
const PRIME = 0x100000001b3n
const BITS = 64

const hashBytes = (bytes: Uint8Array): bigint => {
  let hash = OFFSET
  for (const byte of bytes) hash = BigInt.asUintN(BITS, hash * PRIME) ^ BigInt(byte)
  return hash
}

const littleEndian = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(BITS / 8)
  bytes.writeBigUInt64LE(BigInt.asUintN(BITS, value))
  return bytes
}

const ofText = (text: string): bigint => hashBytes(Buffer.from(text))
const ofInteger = (value: number): bigint => hashBytes(littleEndian(BigInt(value)))
const ofFlag = (value: boolean): bigint => hashBytes(Buffer.from([value ? 1 : 0]))
const ordered = (a: bigint, b: bigint): bigint => hashBytes(Buffer.concat([littleEndian(a), littleEndian(b)]))

const ofList = (texts: readonly string[]): bigint =>
  texts.reduce((hash, text) => ordered(hash, ofText(text)), 0n)

/** The order of the entries does not matter. */
const ofMap = <V>(map: Readonly<Record<string, V>>, ofValue: (value: V) => bigint): bigint =>
  Object.entries(map).reduce((hash, [key, value]) => hash ^ ordered(ofText(key), ofValue(value)), 0n)

const ofStruct = (name: string, fields: Readonly<Record<string, bigint>>): bigint =>
  ofText(name) ^ ofMap(fields, hash => hash)

const NOTHING = ofInteger(0)

const ofScalar = (value: string | number | boolean): bigint => {
  if (typeof value === 'string') return ofText(value)
  return typeof value === 'number' ? ofInteger(value) : ofFlag(value)
}

/** Hexadecimal, without leading zeros. Equal for services whose agents show them alike. */
export const contentHash = (service: CatalogService): string => {
  const { Tags, Meta, TaggedAddresses, Weights, Proxy, Connect, ...rest } = service
  const { CreateIndex: _made, ModifyIndex: _changed, ...scalars } = rest
  return ofStruct('AgentService', {
    ...Object.fromEntries(Object.entries(scalars).map(([name, value]) => [name, ofScalar(value)])),
    Tags: ofList(Tags ?? []),
    Meta: ofMap(Meta ?? {}, ofText),
    TaggedAddresses: ofMap(TaggedAddresses ?? {}, ({ Address, Port }) =>
      ofStruct('ServiceAddress', { Address: ofText(Address), Port: ofInteger(Port) })
    ),
    Weights: ofStruct('AgentWeights', {
      Passing: ofInteger(Weights.Passing),
      Warning: ofInteger(Weights.Warning)
    }),
    CreateIndex: NOTHING,
    ModifyIndex: NOTHING,
    ContentHash: ofText(''),
    // A proxy's settings are hashed as one text: only that they differ matters.
    Proxy: service.Kind === '' ? NOTHING : ofText(JSON.stringify(Proxy)),
    Connect: Connect.Native ? ofText('native') : NOTHING
  }).toString(16)
}
