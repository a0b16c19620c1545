import{a as o}from"./part-DNHDECW6.js";var r=t=>o("record.list","records",t);export{r as a};
