// Frames of the requests that one server forwards to another together, and of their answers.

/** Where a server sends them. */
export const BATCH_PATH = '/v1/internal/requests'
/** The media type of both directions. */
export const BATCH_TYPE = 'application/vnd.annals.requests'

/** Length of a frame, ID and length of the head. */
const ID_AT = 4
const HEAD_AT = 8
const PREFIX = 12

export interface Frame {
  /** Number of the request in its batch. */
  readonly id: number
  readonly head: string
  readonly body: Buffer
}

export const encodeFrame = ({ id, head, body }: Frame): Buffer => {
  const headBytes = Buffer.byteLength(head)
  const frame = Buffer.allocUnsafe(PREFIX + headBytes + body.length)
  frame.writeUInt32BE(frame.length)
  frame.writeUInt32BE(id, ID_AT)
  frame.writeUInt32BE(headBytes, HEAD_AT)
  frame.write(head, PREFIX)
  frame.set(body, PREFIX + headBytes)
  return frame
}

const decodeFrame = (frame: Buffer): Frame => {
  const bodyAt = PREFIX + frame.readUInt32BE(HEAD_AT)
  if (bodyAt > frame.length) throw new RangeError('the head of a frame is longer than the frame')
  return {
    id: frame.readUInt32BE(ID_AT),
    head: frame.toString('utf8', PREFIX, bodyAt),
    body: frame.subarray(bodyAt)
  }
}

/** Finds the frames in the chunks of a stream. */
export class FrameReader {
  #chunks: Buffer[] = []
  #size = 0
  #needed = PREFIX

  /** True if the last frame has not arrived completely. */
  get isWithinFrame(): boolean {
    return this.#size > 0
  }

  /** Returns the frames that a chunk completes. @throws RangeError for bytes that are no frame */
  read(chunk: Buffer): readonly Frame[] {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size < this.#needed) return []
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#size)
    const frames: Frame[] = []
    let at = 0
    for (;;) {
      this.#needed = at + PREFIX > bytes.length ? PREFIX : bytes.readUInt32BE(at)
      if (this.#needed < PREFIX) throw new RangeError('a frame is shorter than its prefix')
      if (at + this.#needed > bytes.length) break
      frames.push(decodeFrame(bytes.subarray(at, at + this.#needed)))
      at += this.#needed
    }
    this.#chunks = at < bytes.length ? [bytes.subarray(at)] : []
    this.#size -= at
    return frames
  }
}
