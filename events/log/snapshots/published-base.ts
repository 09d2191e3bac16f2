// The base snapshot for readers outside the cluster: without secrets and stored responses, as the records after it are published.
import { SecretsVault } from '../secrets.js'
import type { Block } from './format.js'
import type { SnapshotReader } from './read.js'
import { snapshotPieces } from './write.js'

/** The keys of stored responses. */
const WITHHELD_PART = 'keptAnswers.keys'
/** Rows with secrets contain this. Within a value its quotes are escaped. */
const MARK = '"Secrets":'

interface Row {
  readonly Secrets?: unknown
}

const withoutSecrets = ({ part, rows }: Block): Block => {
  // Parts with a dot in their name are not facts.
  if (part.includes('.') || !rows.includes(MARK)) return { part, rows }
  const facts: readonly Row[] = JSON.parse(rows)
  const shown = facts.map(fact => {
    const { Secrets: _, ...rest } = fact
    return rest
  })
  return { part, rows: JSON.stringify(shown) }
}

async function* publishedBlocks(reader: SnapshotReader): AsyncGenerator<Block> {
  for await (const block of reader.blocks()) if (block.part !== WITHHELD_PART) yield withoutSecrets(block)
}

/** Yields the bytes of a base snapshot without secrets, which every log can read. @throws DamagedSnapshot if the file is damaged */
export const publishedBase = (reader: SnapshotReader): AsyncGenerator<Buffer> =>
  snapshotPieces(reader.header, publishedBlocks(reader), new SecretsVault())
