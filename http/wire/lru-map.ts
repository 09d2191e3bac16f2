/** A map of bounded size, which evicts the entry that was set longest ago. */
export class LruMap<Key, Value> extends Map<Key, Value> {
  constructor(private readonly most: number) {
    super()
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    const oldest = this.size > this.most ? this.keys().next() : undefined
    if (oldest && !oldest.done) this.delete(oldest.value)
    return this
  }
}
