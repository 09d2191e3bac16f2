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

/** Hexadecimal, without leading zeros. Equal for services whose agents show them alike. */
export const contentHash = (service: CatalogService): string =>
  ofStruct('AgentService', {
    Kind: ofText(service.Kind),
    ID: ofText(service.ID),
    Service: ofText(service.Service),
    Tags: ofList(service.Tags ?? []),
    Meta: ofMap(service.Meta ?? {}, ofText),
    Port: ofInteger(service.Port),
    Address: ofText(service.Address),
    SocketPath: ofText(service.SocketPath),
    TaggedAddresses: ofMap(service.TaggedAddresses ?? {}, ({ Address, Port }) =>
      ofStruct('ServiceAddress', { Address: ofText(Address), Port: ofInteger(Port) })
    ),
    Weights: ofStruct('AgentWeights', {
      Passing: ofInteger(service.Weights.Passing),
      Warning: ofInteger(service.Weights.Warning)
    }),
    EnableTagOverride: ofFlag(service.EnableTagOverride),
    CreateIndex: NOTHING,
    ModifyIndex: NOTHING,
    ContentHash: ofText(''),
    // A proxy's settings are hashed as one text: only that they differ matters.
    Proxy: service.Kind === '' ? NOTHING : ofText(JSON.stringify(service.Proxy)),
    Connect: service.Connect.Native ? ofText('native') : NOTHING
  }).toString(16)
