interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextPageToken?: string;
}

interface WhichPage {
  readonly pageSize: number;
  readonly pageToken?: string;
}

const PAGE_SIZE = 1000;

/** Reads page by page. A page can be short or empty and still have a next one. */
export async function allPages<Item>(ask: (which: WhichPage) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  for (let next: { pageToken?: string } = {}; ; ) {
    const page = await ask({ pageSize: PAGE_SIZE, ...next });
    items.push(...page.items);
    if (page.nextPageToken === undefined) return items;
    next = { pageToken: page.nextPageToken };
  }
}
