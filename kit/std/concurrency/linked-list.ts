/** A node of the list, needed to remove it. */
export interface Node<T> {
  readonly value: T;
  previous: Node<T> | undefined;
  next: Node<T> | undefined;
}

/**
 * First in, first out, with removal from the middle, each in constant time. `shift` of an array moves all remaining
 * elements, and leaving aborted waiters in place would let a stuck queue grow.
 */
export class LinkedList<T> {
  #first: Node<T> | undefined;
  #last: Node<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  append(value: T): Node<T> {
    const node: Node<T> = { value, previous: this.#last, next: undefined };
    if (this.#last) this.#last.next = node;
    else this.#first = node;
    this.#last = node;
    this.#size += 1;
    return node;
  }

  removeFirst(): T | undefined {
    const node = this.#first;
    if (node) this.remove(node);
    return node?.value;
  }

  /** The node must be in this list. */
  remove(node: Node<T>): void {
    if (node.previous) node.previous.next = node.next;
    else this.#first = node.next;
    if (node.next) node.next.previous = node.previous;
    else this.#last = node.previous;
    this.#size -= 1;
  }
}
