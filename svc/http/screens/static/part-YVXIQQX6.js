import{c as a,d as b,e as c,f as d}from"./part-7MMSLRGQ.js";import"./part-IZ4JSNQV.js";import"./part-Q2BSHNBN.js";export{d as Sender,a as StateBadge,c as default,b as nameOf};
