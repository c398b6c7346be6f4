// SPDX-License-Identifier: GPL-2.0-or-later
#include "known_faults.h"

/* The ids, which are the event's own wherever they stand, the period, and the times of the count.
 */
static bool frame_right(const struct known_faults *faults, const struct ring_sample *sample)
{
	return sample->identifier == faults->id && sample->id == faults->id &&
	       sample->read_id == faults->id && sample->period == 1 &&
	       sample->read_running <= sample->read_enabled;
}

/* Is the address right, and that which follows the one before? */
static bool address_right(const struct known_faults *faults, uint64_t value, uint64_t page,
			  uint64_t offset)
{
	if (offset != faults->offset)
		return false;
	return !faults->has_last || value != faults->last_value + 1 ||
	       page == (faults->last_page + 1) % faults->pages;
}

void known_faults_take(struct known_faults *faults, const struct ring_sample *sample)
{
	uint64_t distance = sample->addr - faults->begin;
	uint64_t page = distance / faults->page_size;
	bool right = frame_right(faults, sample);

	if (sample->addr < faults->begin || page >= faults->pages) {
		faults->elsewhere++;
		faults->wrong += !right;
		faults->has_last = false;
		return;
	}
	right = right &&
		address_right(faults, sample->read_value, page, distance % faults->page_size);
	faults->right += right;
	faults->wrong += !right;
	faults->last_value = sample->read_value;
	faults->last_page = page;
	faults->has_last = true;
}

void countdown_take(struct countdown *countdown, uint64_t value)
{
	countdown->n++;
	countdown->breaks += value != countdown->next;
	countdown->next = value - 1;
}
