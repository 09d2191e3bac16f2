// How lines are wrapped on the wire: as they are, or as server-sent events.

export type FramingName = 'ndjson' | 'sse'

export interface Framing {
  readonly name: FramingName
  /** What every line ends in on the wire, and nothing else holds. */
  readonly end: string
  /** A message, or another line that tells up to which index everything was sent. */
  readonly message: (line: Buffer, index: number) => Buffer
  /** A line that marks no place to resume at. */
  readonly control: (line: Buffer) => Buffer
}

/** One JSON object a line. */
export const newlineDelimited: Framing = {
  name: 'ndjson',
  end: '\n',
  message: line => line,
  control: line => line
}

const DATA = Buffer.from('data: ')
const NEWLINE = Buffer.from('\n')

/** Server-sent events; the index is the event's id, which a browser sends back as `Last-Event-ID`. */
export const serverSentEvents: Framing = {
  name: 'sse',
  end: '\n\n',
  message: (line, index) => Buffer.concat([Buffer.from(`id: ${index}\ndata: `), line, NEWLINE]),
  control: line => Buffer.concat([DATA, line, NEWLINE])
}

export const framingNamed = (name: FramingName): Framing =>
  name === 'sse' ? serverSentEvents : newlineDelimited
